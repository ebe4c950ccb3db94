"""Verdicts of judges that ran elsewhere: from a table to runs and verdicts like any others."""
