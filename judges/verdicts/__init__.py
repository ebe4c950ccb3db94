"""What a judge said of one unit: recorded, aggregated, shown."""
