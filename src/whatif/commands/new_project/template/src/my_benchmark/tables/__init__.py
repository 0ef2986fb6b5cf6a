"""The tables of the benchmark, one module each, named after its table."""
