"""A campaign's answers and verdicts as files, made in the background.

A format is a module here and a line in `registry`.
"""
