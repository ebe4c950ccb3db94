"""Reports, exports, imports and features over much data."""
