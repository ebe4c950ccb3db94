"""A unit as it is put before a judge, with examples and features."""
