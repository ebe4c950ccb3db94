"""What it all means: label sets, statistics, reports, exports."""
