"""The audit log as administrators read it: a page, a CSV file and the API."""
