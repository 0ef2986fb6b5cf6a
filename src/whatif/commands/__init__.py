"""The subcommands of `whatif`: thin, what they do lives in the parts."""
