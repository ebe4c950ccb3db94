"""Recordings: stored once per content, and which of them are faulty."""
