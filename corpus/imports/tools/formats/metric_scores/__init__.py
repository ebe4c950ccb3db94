"""Scores of metrics and test harnesses."""
