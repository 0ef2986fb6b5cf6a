"""Answer extraction by the published rules of other projects, for comparison with ours."""
