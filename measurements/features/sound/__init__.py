"""Features of the sound itself."""
