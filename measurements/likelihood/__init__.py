"""Negative log-likelihoods of speech tokens, and how often they prefer the right one of two. Pure: no rows here."""
