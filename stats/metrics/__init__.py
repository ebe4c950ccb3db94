"""Choosing among many metrics."""
