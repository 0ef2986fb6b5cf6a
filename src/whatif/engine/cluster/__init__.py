"""Resource requests of cluster jobs, and explanations of their failures."""
