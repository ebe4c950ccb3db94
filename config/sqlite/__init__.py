"""SQLite as Django knows it, for connections that serve one request after the other."""
