"""The pages of a campaign's quality: everybody at once, and one annotator."""
