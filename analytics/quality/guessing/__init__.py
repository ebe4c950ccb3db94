"""How soon the rules notice an annotator who guesses, by a campaign's control units."""
