"""Metrics over the responses of a dataset: computed, imported, stored."""
