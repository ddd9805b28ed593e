"""Features from the relation: seeds -> cut (what must stay) -> rank -> choose."""
