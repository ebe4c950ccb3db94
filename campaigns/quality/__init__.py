"""What a campaign declares about the quality of answers: a rule for each signal, and who set it when."""
