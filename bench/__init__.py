"""Benchmarks of speed against a peer, both sides in one run on one machine. `make bench` runs all of them."""


class NotInstalledError(Exception):
    """A measurement needs something that is not installed here; its text names it."""
