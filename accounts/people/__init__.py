"""The accounts of an installation and their rights, as administrators see them."""
