"""What all parts of the API have in common: who asks, what a token is for, errors, pages, repetition and rates."""
