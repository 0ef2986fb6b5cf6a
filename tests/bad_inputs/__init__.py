"""Invalid inputs of every kind that the project reads, one module per kind: the input and the error message."""
