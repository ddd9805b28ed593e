"""What should end a run, one a file: `strike(view)` changes a tree. No reward, and a verdict in time."""
