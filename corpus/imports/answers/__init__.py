"""Answers brought back in: a table of answers becomes label sets of a dataset that is there, one per annotator."""
