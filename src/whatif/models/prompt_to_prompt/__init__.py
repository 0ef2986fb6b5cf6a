"""Pairs of images that differ in one noun: diffusion with shared attention, candidates, and their selection."""
