"""Programs that attack the sandbox, and the harness that runs them."""
