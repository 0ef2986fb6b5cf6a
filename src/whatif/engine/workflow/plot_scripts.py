"""The scripts that draw the pages of `dvc plots`, from the installed Snakemake, so that the pages need no network."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(".whatif/vega")  # where `.dvc/plots/page.html` looks for them, before it asks the web
SCRIPTS = ("vega", "vega-lite", "vega-embed")


def provide_plot_scripts() -> None:
    """Copies the scripts into this checkout, if they are not there and the installed Snakemake has them."""
    if all((FOLDER / f"{name}.js").is_file() for name in SCRIPTS):
        return
    found = find_spec("snakemake")
    for place in (found.submodule_search_locations or ()) if found else ():
        sources = [Path(place) / "assets" / "data" / name / f"{name}.js" for name in SCRIPTS]
        if all(source.is_file() for source in sources):
            FOLDER.mkdir(parents=True, exist_ok=True)
            for source in sources:
                shutil.copyfile(source, FOLDER / source.name)
