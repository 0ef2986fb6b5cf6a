"""Masked and causal language models, and embeddings of sentences."""
