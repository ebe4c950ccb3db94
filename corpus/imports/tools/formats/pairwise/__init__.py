"""Pairs of systems with votes or verdicts."""
