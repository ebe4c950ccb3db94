"""The comparison of judges with people: its page, its files, and where they disagree."""
