"""Answers of judges: judges, runs, verdicts."""
