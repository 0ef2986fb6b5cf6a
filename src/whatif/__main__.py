"""`python -m whatif` is `whatif`."""

from whatif.cli import main

main(prog_name="whatif")
