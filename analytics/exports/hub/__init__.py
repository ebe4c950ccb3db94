"""The dataset for the Hugging Face hub: its tables, its card, and what describes them to programs."""
