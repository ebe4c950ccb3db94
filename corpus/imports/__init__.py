"""Bringing a dataset in: read the manifest, check every row and file, then write. Nothing is written before
the check is clean, and importing the same thing twice changes nothing."""
