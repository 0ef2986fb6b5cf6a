"""Answers of models that were paid for once: stored, exported, merged."""
