"""Datasets on pages, and the units they give."""
