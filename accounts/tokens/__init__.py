"""Tokens by which programs use the API."""
