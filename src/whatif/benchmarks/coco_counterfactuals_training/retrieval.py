"""Retrieval after training, as Tables 3, 5, 11 and 12 of COCO-Counterfactuals have it: ours and the reported numbers.

Measures, by what is found (`text`, `image`) among how many (`k`), and the mean of the six: `recall` in percent, its
`deviation` over seeds, and its `gain` over training without counterfactuals, in points. Our rows are those of the
published division, after the reported ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from whatif.benchmarks.coco_counterfactuals_training.results import (
    BOTH,
    DEPTHS,
    IMAGE,
    MEAN,
    MEASURES,
    PUBLISHED_DIVISION,
    RETRIEVED_ITEM,
    TEXT,
    Results,
)
from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED
from whatif.benchmarks.coco_counterfactuals_training.seed_rows import (
    Row,
    of_training,
    our_rows,
    reported_rows,
    seed_views,
    underlines,
    with_holm,
)
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.table import PUBLISHED

SIZES = {"train_samples": "Samples", "counterfactual_samples": "CFs"}  # columns of a training, with their headings
_CELLS = {
    f"{'Text' if item == TEXT else 'Image'}@{k}": {"retrieved": item, "k": str(k)}
    for item in (TEXT, IMAGE)
    for k in DEPTHS
} | {"Mean": {"retrieved": BOTH, "k": MEAN}}


def retrieval(
    position: int,
    number: int,
    title: str,
    searched: Callable[[Results], str],
    mixtures: Sequence[str],
    *,
    baseline: str = "ms-coco",
    baselines: int | None = None,
    sizes: Mapping[str, str] = SIZES,
    note: Callable[[], str] = lambda: "",
) -> Declared[Results]:
    """The table of a number. `searched` names the retrieval set, a key of `params.yaml`.

    mixtures: those of the table, which are compared with `baseline`; its reported numbers are in the table `baselines`,
    if not in the same one. note: what readers have to know about the paper's numbers.
    """

    def printed() -> Iterator[Row]:
        return reported_rows(number, "recall", baseline, _cell, baselines)

    return Declared(
        position=position,
        title=f"Table {number}: {title}",
        identity=(
            *("model", "name", "source", "train_set", "mixture", "train_samples", "counterfactual_samples"),
            *("counterfactual_share", "data_set", "retrieved", "k", "mark", "measure", PUBLISHED),
        ),
        numbers=("value", "low", "high", "n", "p", "p_holm"),
        rows=lambda found: with_holm([*printed(), *_ours(found, searched(found), mixtures, baseline)]),
        views=lambda found: seed_views(
            "Retrieval after training: recall at 1, 5 and 10 in percent of text by images, and of images by text; the "
            f"mean over seeds (COCO-Counterfactuals Table {number}).",
            " ".join(filter(None, [underlines(printed()), note()])),
            {"model": "", "name": "Model", "source": "From", "mixture": "", "train_set": "Trained on", **sizes},
            _CELLS,
            measure="recall",
            baseline=baseline,
            level=found.level,
        ),
    )


def _cell(row: Mapping[str, str]) -> dict[str, str]:
    return {"retrieved": RETRIEVED_ITEM.get(row["direction"], BOTH), "k": row["metric"].removeprefix("recall@")}


def _ours(found: Results, data_set: str, mixtures: Sequence[str], baseline: str) -> Iterator[Row]:
    for model, name in found.names.items():
        without = found.recalls(model, baseline, PUBLISHED_DIVISION, data_set)
        for mixture in mixtures:
            recalls = found.recalls(model, mixture, PUBLISHED_DIVISION, data_set)
            place = {"model": model, "name": name, **of_training(found, mixture), "data_set": data_set}
            for measure in (one for one in MEASURES if one in recalls):
                other = without.get(measure) if mixture not in (PRE_TRAINED, baseline) else None
                of_measure = {**place, "retrieved": measure[0], "k": measure[1]}
                yield from our_rows(of_measure, "recall", recalls[measure], other, found.settings.confidence)
