"""Features of clips as rows: extracted once per clip, extractor and version."""
