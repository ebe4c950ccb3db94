"""Any table column by column: what each column of a foreign file becomes, kept as a recipe."""
