"""A campaign from draft to closed."""
