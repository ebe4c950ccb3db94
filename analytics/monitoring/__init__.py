"""A campaign while it runs: progress, forecast, agreement so far, alarms."""
