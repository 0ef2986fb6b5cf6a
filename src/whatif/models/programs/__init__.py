"""Models that answer by programs: who writes them, their languages, their tools, and the sandbox that they run in."""
