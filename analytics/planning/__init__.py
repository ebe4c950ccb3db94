"""How many answers a study needs."""
