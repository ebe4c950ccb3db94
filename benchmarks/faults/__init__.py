"""What happens when something dies: faults at random moments of a real load, and what must hold after each."""
