"""Files that users and data sets bring, and files that appear whole or not at all."""
