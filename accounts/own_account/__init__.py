"""Logging in, and what people do with their own account."""
