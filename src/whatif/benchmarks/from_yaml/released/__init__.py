"""Benchmarks that one YAML file declares over released files: the questions of each row, and what is measured."""
