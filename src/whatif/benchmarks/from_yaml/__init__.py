"""Benchmarks that one YAML file declares: templates of questions over drawn scenes, or over a table with pictures."""
