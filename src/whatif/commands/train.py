"""`whatif train` and `whatif assess`: train and measure the embedded checkpoints, by the recipes of a clone."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import click

import whatif
from whatif.engine.errors import WhatifError

_CLONE = Path(whatif.__file__).parents[2]  # the folder of `src`


@click.command()
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    help="Where to save it. Default: the checkpoint's place in the package.",
)
def train(name: str, folder: Path | None) -> None:
    """Train the embedded checkpoint NAME, measure it and write its card, in a clone of whatif.

    The recipe is in training/recipes.yaml, its code in training/. A GPU is used if there is one. `make train-embedded`
    trains all checkpoints.

    \b
    whatif train clip
    whatif train llava-original --folder /tmp/llava-original
    """
    names = _of_clone("names")
    place = folder or names.EMBEDDED / name
    names.train(name, _of_clone("recipes").load_recipes(), place)
    _measure(name, place)


@click.command()
@click.argument("name")
@click.option(
    "--folder", type=click.Path(path_type=Path), help="Where it is. Default: the checkpoint's place in the package."
)
def assess(name: str, folder: Path | None) -> None:
    """Measure the embedded checkpoint NAME on held-out data and update its card, in a clone of whatif.

    \b
    whatif assess clip
    """
    _measure(name, folder or _of_clone("names").EMBEDDED / name)


def _measure(name: str, folder: Path) -> None:
    names, card = _of_clone("names"), _of_clone("card")
    recipes = _of_clone("recipes").load_recipes()
    recipe = names.recipe_of(name, recipes)
    accuracies = names.assess(name, folder)
    what = names.CHECKPOINTS[name].what
    card.write_card(folder, name, what, recipe=recipe, seed=recipes.seed, accuracies=accuracies)
    click.echo(card.accuracy_table(accuracies))


def _of_clone(module: str) -> Any:
    """A module of `training/`, which lies beside `src` and is in no wheel. Raises WhatifError outside a clone."""
    if not (_CLONE / "training" / "names.py").is_file():
        raise WhatifError("checkpoints are trained in a clone of whatif: the package has no folder `training/`")
    if str(_CLONE) not in sys.path:
        sys.path.insert(0, str(_CLONE))
    return importlib.import_module(f"training.{module}")
