"""A module for each tool: by what its file is recognised, and what its rows say."""
