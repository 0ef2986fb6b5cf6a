"""Reading of users' files within stated bounds, and atomic writing of files."""
