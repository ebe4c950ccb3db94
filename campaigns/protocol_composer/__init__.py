"""A protocol as a form that researchers fill in."""
