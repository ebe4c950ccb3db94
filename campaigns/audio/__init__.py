"""What a campaign lets be heard: its clips in their one form, and sounds of its own."""
