"""An answer on its way in: what is shown, submitted, noted and changed."""
