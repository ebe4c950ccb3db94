"""Damaged and hostile uploads."""
