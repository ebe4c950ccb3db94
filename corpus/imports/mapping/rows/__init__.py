"""Rows of a foreign table as rows of ours."""
