"""Numbers as tables, plots and items."""
