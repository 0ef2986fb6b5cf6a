"""The static site of a run: pages of every benchmark's results. It opens from files and needs no network."""
