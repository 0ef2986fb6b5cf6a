"""Extraction of the answer from a model's response in words."""
