"""Reports at their addresses, with rights and settings."""
