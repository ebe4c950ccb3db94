"""Other people's servers are told what happens in a campaign: `events` is the one door, `sending` tells."""
