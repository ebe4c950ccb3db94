"""Who people are."""
