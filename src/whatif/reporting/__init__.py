"""Numbers as tables, plots and galleries."""
