"""Protocols as documents: read, written, validated."""
