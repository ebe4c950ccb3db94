"""Figures of reports about judges."""
