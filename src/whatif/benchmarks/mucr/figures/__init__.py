"""The figures of MuCR, and the points of its plot: one module each."""
