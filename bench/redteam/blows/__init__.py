"""What should end a run, one a file: `strike(view)`. It earns nothing, and there is a verdict."""
