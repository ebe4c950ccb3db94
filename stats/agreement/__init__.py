"""Agreement of raters, beyond chance where the coefficient says so."""
