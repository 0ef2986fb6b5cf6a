"""What jobs ask a cluster for, and why it failed them."""
