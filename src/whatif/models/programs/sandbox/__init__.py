"""Where programs run: processes without files, network or company, with limits, reached by typed messages."""
