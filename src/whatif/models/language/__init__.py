"""Masked and causal language models, and sentence embeddings."""
