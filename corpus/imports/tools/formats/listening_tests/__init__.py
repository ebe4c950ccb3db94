"""Listening tests on the web and by crowds."""
