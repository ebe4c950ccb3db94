"""A study: datasets, launch, people, control units, rubrics."""
