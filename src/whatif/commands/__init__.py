"""The subcommands of `whatif`. They read options and print results; other packages do the work."""
