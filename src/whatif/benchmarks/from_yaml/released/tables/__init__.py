"""The tables of a benchmark over released files: one module each."""
