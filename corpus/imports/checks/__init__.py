"""The dry run: every row and file against itself and against what the dataset holds."""
