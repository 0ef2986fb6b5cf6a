"""Pictures that are drawn, and the geometry that they are drawn from."""
