"""The tables of CFMM: one module each."""
