"""The page on which columns are mapped: its form, what a mapping makes of the file, and recipes."""
