"""Jobs in the background, workers, and the health of the installation."""
