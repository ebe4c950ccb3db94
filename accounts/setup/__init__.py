"""The first administrator of a new installation."""
