"""Asking a model: within budgets and limits, with every call stored."""
