"""Which rows and columns a paper's table has, made from our numbers beside the published ones."""
