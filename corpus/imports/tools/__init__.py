"""Files of other tools, as these tools write them: one module for each, which recognises its file and reads it."""
