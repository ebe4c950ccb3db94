"""Judges: a kind with settings, made once and never changed."""
