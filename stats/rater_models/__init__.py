"""Models of those who rate: severity, reliability, and the labels behind what several say."""
