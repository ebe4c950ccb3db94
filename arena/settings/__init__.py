"""An arena's settings and limits."""
