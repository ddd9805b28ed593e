"""What the monitor finds in labelled trajectories."""
