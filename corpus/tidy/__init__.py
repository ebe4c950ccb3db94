"""The table of answers: one row per answer, as it is exported and as it is imported again. Plain data, no rows of
a database; what is written here is read here, cell by cell."""
