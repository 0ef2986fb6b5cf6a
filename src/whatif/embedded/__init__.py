"""The embedded default: a drawn world of scenes, and the checkpoints that were trained on it."""
