"""The tables of the scenes, one module each."""
