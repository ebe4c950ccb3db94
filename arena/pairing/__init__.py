"""Which two systems meet next."""
