"""A running server: pages, answers, votes, load."""
