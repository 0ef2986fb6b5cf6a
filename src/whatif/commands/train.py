"""`whatif train` and `whatif assess`: train and measure the embedded checkpoints."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    help="Where to save it. Default: the checkpoint's place in the package.",
)
def train(name: str, folder: Path | None) -> None:
    """Train the embedded checkpoint NAME, measure it and write its card.

    The recipe is in params/embedded.yaml. A GPU is used if there is one. `make train-embedded` trains all checkpoints.

    \b
    whatif train clip
    whatif train llava-original --folder /tmp/llava-original
    """
    from whatif.training import names as embedded
    from whatif.training.recipes import load_recipes

    recipes = load_recipes()
    place = folder or embedded.EMBEDDED / name
    embedded.train(name, recipes, place)
    _measure(name, place)


@click.command()
@click.argument("name")
@click.option(
    "--folder", type=click.Path(path_type=Path), help="Where it is. Default: the checkpoint's place in the package."
)
def assess(name: str, folder: Path | None) -> None:
    """Measure the embedded checkpoint NAME on held-out data and update its card.

    \b
    whatif assess clip
    """
    from whatif.training import names as embedded

    _measure(name, folder or embedded.EMBEDDED / name)


def _measure(name: str, folder: Path) -> None:
    from whatif.training import names as embedded
    from whatif.training.card import accuracy_table, write_card
    from whatif.training.recipes import load_recipes

    recipes = load_recipes()
    recipe = embedded.recipe_of(name, recipes)
    accuracies = embedded.assess(name, folder)
    what = embedded.CHECKPOINTS[name].what
    write_card(folder, name, what, recipe=recipe, seed=recipes.seed, accuracies=accuracies)
    click.echo(accuracy_table(accuracies))
