"""One module for each format of an export."""
