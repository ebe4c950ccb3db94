"""The pages on which people label: the next unit, its gates before it, and the same for programs."""
