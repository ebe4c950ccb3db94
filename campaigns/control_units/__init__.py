"""Units by which a campaign checks on annotators."""
