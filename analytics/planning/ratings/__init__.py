"""How many raters, how many items: planning from the variance components of ratings so far, or of numbers typed."""
