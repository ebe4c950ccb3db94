"""What is checked and read of a request before a view sees it."""
