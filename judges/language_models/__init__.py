"""Models over HTTP: registered, asked, limited and paid for."""
