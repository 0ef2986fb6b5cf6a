"""The shortcut audit: how often a question can be answered without its image."""
