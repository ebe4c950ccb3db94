"""Folders of recordings, and tables that hold sound."""
