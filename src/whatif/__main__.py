"""`python -m whatif` is `whatif`."""

from whatif.commands.cli import main

main(prog_name="whatif")
