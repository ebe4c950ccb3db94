"""What the columns of a foreign table may be: guessed from their names and from what stands in them."""
