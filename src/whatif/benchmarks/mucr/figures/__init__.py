"""The figures of MuCR, one module each."""
