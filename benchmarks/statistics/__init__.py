"""Speed and coverage of the arithmetic."""
