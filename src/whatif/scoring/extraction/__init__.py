"""The answer that a response in words gives."""
