"""An annotator leaves a study."""
