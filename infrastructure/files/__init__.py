"""Files that come in and go out: tables, uploads, downloads."""
