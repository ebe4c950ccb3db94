"""A campaign's units as an annotator gets them, for those who launch it."""
