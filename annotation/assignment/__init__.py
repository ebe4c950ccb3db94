"""Which unit an annotator gets next, in which order, and when a seat is free again."""
