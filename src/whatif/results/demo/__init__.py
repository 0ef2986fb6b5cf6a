"""The site of bundled results that `whatif demo` opens: a sample of the default run, without models."""
