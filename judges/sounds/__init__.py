"""Sounds as a judge gets them, and known changes to them."""
