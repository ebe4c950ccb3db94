"""Entry gates that play sounds."""
