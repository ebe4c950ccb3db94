"""What is said, and how fast."""
