"""Scales, and which agreement suits each."""
