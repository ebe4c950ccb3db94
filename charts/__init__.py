"""Charts inside pages, and the look that they share with the pictures of reports. Pure."""
