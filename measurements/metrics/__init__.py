"""Objective metrics after COMPASS: a registry, and pure functions of samples and texts. No rows, no Django."""
