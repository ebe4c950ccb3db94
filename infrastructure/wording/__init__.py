"""Phrases and reasons: texts with parameters, and codes for why something is refused, undefined or left out."""
