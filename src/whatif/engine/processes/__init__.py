"""Running processes, the locks that they hold, and which of them end together."""
