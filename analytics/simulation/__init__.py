"""Studies with simulated annotators."""
