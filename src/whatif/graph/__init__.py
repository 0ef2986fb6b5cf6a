"""The dependency graph: what is made from what, what is fresh, and how a job runs."""
