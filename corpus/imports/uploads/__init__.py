"""An import from upload to rows: two jobs, the check and, when a person has said yes, the writing."""
