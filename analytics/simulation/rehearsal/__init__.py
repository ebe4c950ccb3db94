"""A campaign rehearsed by a simulated panel, through the doors that real people use."""
