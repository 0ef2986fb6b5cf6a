"""The headline numbers of each model as runs of experiment trackers, and as results on the hub (docs/tracking.md)."""
