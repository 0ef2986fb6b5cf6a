"""The tables of a benchmark in a YAML file: one module each."""
