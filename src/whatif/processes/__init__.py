"""Which processes run here, which locks they hold, and which end together."""
