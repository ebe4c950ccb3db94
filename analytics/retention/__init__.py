"""What is deleted some time after a campaign closed."""
