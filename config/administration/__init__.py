"""Pages for administrators: backups, settings, health."""
