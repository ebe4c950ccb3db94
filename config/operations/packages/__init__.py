"""What Earshot is installed with: locks, licences, bill of materials."""
