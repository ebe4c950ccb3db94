"""Features of one clip: samples in, numbers out. Knows no framework, no rows and no network unless it is allowed."""
