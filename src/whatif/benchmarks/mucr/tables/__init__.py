"""The tables of MuCR: one module each."""
