"""What every app needs and none owns."""
