"""Bad inputs of every kind that the project reads, a module a kind: what was tried, and what is said of it."""
