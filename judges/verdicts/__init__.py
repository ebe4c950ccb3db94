"""A judge's answers to one unit: recorded, aggregated, shown."""
