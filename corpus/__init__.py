"""What is evaluated: datasets with their items, systems and clips, and how they are imported."""
