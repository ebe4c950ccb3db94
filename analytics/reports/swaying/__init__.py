"""Figures of reports about what sways raters."""
