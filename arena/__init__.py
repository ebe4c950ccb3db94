"""The live competition: battles, standings, leaderboard, public voting."""
