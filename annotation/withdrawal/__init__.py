"""Somebody leaves a study."""
