"""The embedded default: a world of drawn scenes, and the checkpoints that were trained on it."""
