"""Clips by opaque address, and which parts of them count as heard."""
