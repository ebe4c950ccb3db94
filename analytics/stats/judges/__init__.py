"""Judges against people."""
