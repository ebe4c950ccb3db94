"""Pages for administrators of the installation: its sections, and its jobs."""
