"""Reports: figures about a campaign, kept as they were computed, and shown and exported all in the same way."""
