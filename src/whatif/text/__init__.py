"""Questions, their options, and edits of both."""
