"""Judges that ask a language model about words and measurements."""
