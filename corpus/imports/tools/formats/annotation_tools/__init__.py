"""Tools in which people annotate."""
