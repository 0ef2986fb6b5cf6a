"""The tables of a set of puzzles, of our own as of the released ones: one module each."""
