"""File formats of data sets and evaluation tools, read and written."""
