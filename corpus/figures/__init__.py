"""What is kept of a dataset for its page and its table of items: lengths, levels, warnings and distributions."""
