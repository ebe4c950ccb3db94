"""Rows become arrays here: labels, votes and ratings of people, judges and imported label sets."""
