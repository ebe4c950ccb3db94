"""What campaigns do for the datasets that they are over, registered with corpus."""
