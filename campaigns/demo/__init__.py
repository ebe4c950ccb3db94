"""The studies of the demo: its campaigns, and the labels that follow from what was planted."""
