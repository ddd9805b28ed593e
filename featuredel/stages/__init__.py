"""The stages, in the order of the line: acquire to discover, delete to score, write."""
