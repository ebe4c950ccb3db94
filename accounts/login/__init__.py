"""Logging in: passwords, second factors, guests, and limits on guessing."""
