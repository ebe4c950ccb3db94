"""A whole study taken in again from the export for the Hugging Face hub: sound, labels, campaign and runs."""
