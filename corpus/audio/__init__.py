"""Clips as arrays: reading files, auditing what they hold, writing the one form in which they are heard."""
