"""The dependency graph: the dependencies between jobs, their freshness, and how a job runs."""
