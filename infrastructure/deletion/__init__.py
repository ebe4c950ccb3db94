"""Renaming, archiving, restoring and deleting what an installation has: datasets, campaigns, judges, protocols."""
