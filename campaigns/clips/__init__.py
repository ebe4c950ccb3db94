"""Clips as files: stored once per content, and made ready for a campaign."""
