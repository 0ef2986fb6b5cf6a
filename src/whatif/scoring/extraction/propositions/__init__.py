"""Reads statements as claims about what a yes-or-no question asks, and decides what they say of it."""
