"""Transcripts and speaking rates."""
