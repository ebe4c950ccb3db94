"""A judge over a campaign's units: started, worked on, stopped, shown."""
