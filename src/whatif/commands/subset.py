"""`whatif subset`: fewer items that rank the models as all items do, and how difficult each question is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from whatif.results.comparison.answered import Answered

_LEAST = 4  # models, below which a ranking that leaves one out has nothing to be compared with
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("benchmark")
@click.option("--items", type=click.IntRange(2), required=True, help="How many items (pairs of questions) to choose.")
@click.option("--model", "models", multiple=True, help="Only this model; repeat it for several.")
@click.option("--output", type=_FILE, help="Write the ids of the chosen items here, one in each line.")
@click.option("--questions", "table", type=_FILE, help="Write difficulty and discrimination of each question (CSV).")
def subset(benchmark: str, *, items: int, models: tuple[str, ...], output: Path | None, table: Path | None) -> None:
    """Choose items that rank the models as all items do.

    An item is what has one pair_id: an original question and its counterfactual. The items are those whose answers give
    each model the accuracy that it has on all items. How well they rank a model that was not among those they were
    chosen by is tested by leaving out each model in turn, and compared with random items of the same number. All
    numbers are of the questions that every model answered.

    \b
    whatif subset cvqa-synthetic --items 200 --output subset.txt
    whatif subset cvqa-synthetic --items 200 --questions questions.csv

    The entry of a further model in params.yaml asks only these items with `limit: subset.txt`.
    """
    from whatif.engine.files.atomic import write_whole
    from whatif.scoring.items import chosen, kept

    data = _responses(benchmark, models)
    pairs, right, questions = data.by_item()
    keys = list(dict.fromkeys(data.models))
    if len(keys) < _LEAST:
        raise WhatifError(
            f"{benchmark}: {_LEAST} models with different answers to the same questions are needed to test a ranking, "
            f"and there are {len(keys)}; evaluate more, or ask random items with `limit: {items}`"
        )
    if items >= len(pairs):
        raise WhatifError(f"--items {items}: must be less than the {len(pairs):,} items that all models answered")
    told = kept(right, questions, data.models, items)
    _print(data, told, items)
    number = f"{len(pairs):,} items ({len(data.ids):,} of {data.asked:,} questions)"
    tau, rho = told.agreement
    drawn = [_of_draws(told.random[:, place]) for place in (0, 1)]
    as_good = 100 * (told.random[:, 0] >= tau - 1e-9).mean()
    click.echo(
        f"First by the {number} that all models answered,\n"
        f"then by {items:,} of them, chosen without the answers of the model.\n"
        "Agreement of the ranking with that of all items:   Kendall's tau         Spearman's rho\n"
        f"{'  chosen items, each model left out in turn':51}{tau:<22.2f}{rho:.2f}\n"
        f"{f'  {len(told.random)} random subsets, mean [95% of them]':51}{drawn[0]:22}{drawn[1]}\n"
        f"{as_good:.0f}% of the random subsets rank the models at least as well."
    )
    best = chosen(right, questions, items)
    if output is not None:
        write_whole(output, "".join(f"{pairs[place]}\n" for place in best).encode())
    if table is not None:
        write_whole(table, _table(data, {pairs[place] for place in best}).encode())


@dataclass(frozen=True, eq=False)
class _Responses:
    """Which questions that all of them answered several models have right.

    names, models: of each row of `right` (models x questions), models being keys of params.yaml. ids, pairs, images:
    of each question. asked: the number of questions that any of them answered.
    """

    names: list[str]
    models: list[str]
    ids: list[str]
    pairs: list[str]
    images: npt.NDArray[np.int64]
    right: npt.NDArray[np.bool_]
    asked: int

    def by_item(self) -> tuple[list[str], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The ids of items, the right answers of each model to each of them, and the numbers of their questions."""
        import numpy as np

        names, places = np.unique(self.pairs, return_inverse=True)
        right = np.array([np.bincount(places, weights=row) for row in self.right]).astype(np.int64)
        return names.tolist(), right, np.bincount(places)


def _responses(benchmark: str, models: tuple[str, ...]) -> _Responses:
    """The answers of a run; of several evaluations with the same right answers, only the first is kept, and a line
    names the others.

    Raises WhatifError without answers, or without a question that all models answered.
    """
    import numpy as np

    from whatif.results.comparison.answered import answered, pairs_of_questions

    found = list(answered(benchmark, models))
    ids = [one.rows.keys.to_pylist() for one in found]
    common = sorted(set(ids[0]).intersection(*ids[1:])) if ids else []
    if not common:
        named = f" of {', '.join(models)}" if models else ""
        none = "no question that all models answered" if found else f"no answers{named}"
        raise WhatifError(f"{benchmark}: data/evaluate has {none}; `whatif evaluate {benchmark}` asks")
    places = [[at[name] for name in common] for at in ({name: row for row, name in enumerate(one)} for one in ids)]
    kept: dict[bytes, Answered] = {}
    right = []
    for one, at in zip(found, places, strict=True):
        row = one.right[at]
        same = kept.setdefault(row.tobytes(), one)
        if same is one:
            right.append(row)
        else:
            click.echo(f"{escaped(one.name)}: left out, because it is right exactly where {escaped(same.name)} is")
    pairs = pairs_of_questions(found[0].rows)
    return _Responses(
        [one.name for one in kept.values()],
        [one.evaluation.key.model for one in kept.values()],
        common,
        [pairs[place] for place in places[0]],
        found[0].rows.clusters[places[0]],
        np.array(right),
        len(set().union(*ids)),
    )


def _print(data: _Responses, told: Any, items: int) -> None:
    """A line for each model, the best first: its accuracy with its interval by image, and its places."""
    from whatif.scoring.items import places
    from whatif.scoring.statistics.clustered import clustered_share

    place = places(data.right.mean(axis=1))
    click.echo(f"{'':36}{'accuracy % [95%]':>22}{'place':>8}{f'by {items:,} items %':>20}{'place':>8}")
    for row in sorted(range(len(data.names)), key=lambda one: (place[one], data.names[one])):
        share = clustered_share(data.right[row], data.images)
        ends = f"{100 * share.estimate:.1f} [{100 * share.low:.1f}, {100 * share.high:.1f}]"
        others = f"{100 * told.accuracy[row]:>20.1f}{told.place[row]:>8g}"
        click.echo(f"{escaped(data.names[row]):36}{ends:>22}{place[row]:>8g}{others}")


def _of_draws(values: npt.NDArray[np.float64]) -> str:
    import numpy as np

    low, high = np.quantile(values, (0.025, 0.975))
    return f"{values.mean():.2f} [{low:.2f}, {high:.2f}]"


def _table(data: _Responses, best: set[str]) -> str:
    """The share of models that answer each question correctly, with Wilson's interval, and its discrimination."""
    import numpy as np

    from whatif.engine.files.csv_writing import delimited
    from whatif.scoring.items import discrimination
    from whatif.scoring.statistics.intervals import wilson

    number, correct = len(data.right), data.right.sum(axis=0)
    shares = [wilson(count, number) for count in range(number + 1)]
    rows: list[Sequence[object]] = [
        ("question_id", "pair_id", "models", "right", "low", "high", "discrimination", "chosen")
    ]
    for place, power in enumerate(discrimination(data.right)):
        share = shares[correct[place]]
        ends = [f"{end:.4f}" for end in (share.estimate, share.low, share.high)]
        known = "" if np.isnan(power) else f"{power:.4f}"
        pair = data.pairs[place]
        rows.append((data.ids[place], pair, number, *ends, known, "yes" if pair in best else "no"))
    return delimited(rows)
