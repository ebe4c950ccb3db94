"""What a report consists of, and how it becomes pages, charts and files."""
