"""A campaign rehearsed by a simulated panel, through the functions that real annotators use."""
