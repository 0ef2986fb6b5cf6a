"""What changed between two runs: answers, numbers of tables, parameters, code and inputs (docs/diff.md)."""
