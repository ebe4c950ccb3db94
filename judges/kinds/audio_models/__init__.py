"""Judges that send sound to a model."""
