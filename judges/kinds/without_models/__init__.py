"""Judges that ask no model over HTTP: baselines, single features, rules."""
