"""Systems by scores: means, rates, and whether two scores rank them alike."""
