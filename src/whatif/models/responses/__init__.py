"""Stored answers of models: each is paid for once, and can be exported and merged."""
