"""The arena for those who run it."""
