"""The figures of CFMM, and the points of its plot: one module each."""
