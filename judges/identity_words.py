"""Where a transcript says which system speaks. Pure: no rows, no Django."""
