"""Responses that say which system speaks."""
