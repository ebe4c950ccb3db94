"""Votes between two systems: read from rows, counted, and kept up to date."""
