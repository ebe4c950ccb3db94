"""Networks, and where their weights come from."""
