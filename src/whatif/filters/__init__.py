"""Filters that decide from an item alone whether it can be used."""
