"""Synthesised sounds: for setting the volume, and for the checks of entry gates."""
