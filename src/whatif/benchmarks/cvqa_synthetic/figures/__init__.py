"""The figures of a set of puzzles, and their points: one module each."""
