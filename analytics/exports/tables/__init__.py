"""Rows and columns that several formats share."""
