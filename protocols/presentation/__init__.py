"""Protocols as people see and hear them."""
