"""Readers of pictures that benchmarks are made from, ours and other people's."""
