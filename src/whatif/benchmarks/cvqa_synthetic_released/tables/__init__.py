"""The tables that only the released puzzles have."""
