"""What people said: assignments, forms, answers, listening."""
