"""Every judge beside people, computed and cached."""
