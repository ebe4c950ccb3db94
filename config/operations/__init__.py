"""Running an installation: backups, logs, metrics, readiness."""
