"""Ratings of systems by votes between two of them."""
