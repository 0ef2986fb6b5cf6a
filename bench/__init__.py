"""Speed beside a peer's, both sides in one run on one machine. `make bench` runs all of it."""
