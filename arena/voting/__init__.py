"""Votes: the page, who may vote, and the names after a vote."""
