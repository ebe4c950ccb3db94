"""Whom voters favour: everybody and recorded groups weighed, and the board with and without some of them."""
