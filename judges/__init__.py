"""What machines said: judges, runs, verdicts."""
