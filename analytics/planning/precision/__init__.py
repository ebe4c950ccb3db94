"""How many answers give which precision, by simulating studies: arrays in, frozen dataclasses out, no Django."""
