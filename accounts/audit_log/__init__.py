"""The audit log: what changed rights, data or the secrecy of names, by whom and when. Only appended."""
