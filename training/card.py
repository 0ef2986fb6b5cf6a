"""Writes the model card of an embedded checkpoint: purpose, training, accuracy and limits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from whatif.engine.files.atomic import write_whole
from whatif.engine.params.base import Settings

ACCURACY_FILE = "accuracy.json"
_INTERVAL = ("accuracy", "low", "high", "n")

_LIMITS = """\
It shows that the pipeline works from end to end on real numbers; it is no model of the world. It has seen nothing but
drawings of this package and reads nothing but their few hundred words. Where it fails on counterfactual questions, the
words may simply be new to it: no conclusion about reasoning can be drawn from its scores.
"""


def write_card(
    folder: Path, name: str, what: str, *, recipe: Settings, seed: int, accuracies: Mapping[str, Any]
) -> None:
    """Writes `accuracy.json` and the model card `README.md` into the checkpoint's folder."""
    write_whole(folder / ACCURACY_FILE, (json.dumps(accuracies, indent=1) + "\n").encode())
    write_whole(folder / "README.md", card(name, what, recipe, seed, accuracies).encode())


def card(name: str, what: str, recipe: Settings, seed: int, accuracies: Mapping[str, Any]) -> str:
    """The text of the card, with the front matter that the hub reads."""
    settings = json.dumps(recipe.model_dump(mode="json", by_alias=True, exclude_none=True), indent=1)
    return f"""---
license: apache-2.0
library_name: {"diffusers" if name == "diffusion" else "transformers"}
tags: [whatif, embedded]
---
# {name}

{what}

## Data and recipe

Drawn by this package: see `training/` in its repository. Trained by `whatif train {name}` from seed {seed}
with the recipe of `training/recipes.yaml`:

```json
{settings}
```

The losses of every 50 steps are in `training-log.jsonl`.

## Accuracy

On held-out data, with 95% Wilson intervals; `whatif assess {name}` measures it again.

{accuracy_table(accuracies)}
## Limits

{_LIMITS}"""


def accuracy_table(accuracies: Mapping[str, Any]) -> str:
    """Markdown: a row for each accuracy, with its interval and baselines; then other numbers."""
    leaves = list(_leaves(accuracies))
    baselines = list(
        dict.fromkeys(key for _, leaf in leaves if isinstance(leaf, dict) for key in leaf if key not in _INTERVAL)
    )
    rows = [["measured", "n", "accuracy", *baselines], ["---", "---:", "---:", *["---:"] * len(baselines)]]
    others = []
    for path, leaf in leaves:
        if not isinstance(leaf, dict):
            others.append(f"- {path}: {leaf}")
            continue
        shown = f"{leaf['accuracy']:.3f} ({leaf['low']:.3f} to {leaf['high']:.3f})"
        beside = [f"{leaf[key]:.3f}" if key in leaf else "" for key in baselines]
        rows.append([path, f"{leaf['n']:,}", shown, *beside])
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return table + ("\n" + "\n".join(others) + "\n" if others else "")


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Accuracies (mappings with an accuracy) and plain numbers, each with its path."""
    if isinstance(value, Mapping) and "accuracy" not in value:
        for key, inner in value.items():
            name = str(key).replace("_", " ")
            yield from _leaves(inner, f"{path}, {name}" if path else name)
    else:
        yield path, dict(value) if isinstance(value, Mapping) else value
