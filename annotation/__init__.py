"""Answers of people: assignments, forms, answers, listening."""
