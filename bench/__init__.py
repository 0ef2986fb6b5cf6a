"""Benchmarks of speed against a peer, both sides in one run on one machine. `make bench` runs all of them."""
