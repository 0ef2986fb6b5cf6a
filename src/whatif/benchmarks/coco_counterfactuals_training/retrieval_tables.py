"""Tables 3, 5, 11 and 12 of COCO-Counterfactuals: retrieval after training, ours and the reported numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.coco_counterfactuals_training.reported import number, reported
from whatif.benchmarks.coco_counterfactuals_training.results import (
    BOTH,
    DEPTHS,
    IMAGE,
    MEAN,
    MEASURES,
    RETRIEVED_ITEM,
    TEXT,
    Results,
)
from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED, WITHHELD
from whatif.benchmarks.coco_counterfactuals_training.seed_rows import (
    DEVIATION,
    Row,
    our_rows,
    reported_rows,
    underlines,
    views_of_tests,
    with_holm,
)
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.table import PUBLISHED, Column, Table, View, tidy

PUBLISHED_DIVISION = "published"
COMPARED_MIXTURES = (PRE_TRAINED, "ms-coco", "base", "medium", "all")
_IDENTITY = (
    *("model", "name", "source", "train_set", "mixture", "train_samples", "counterfactual_samples"),
    *("counterfactual_share", "data_set", "retrieved", "k", "mark", "measure", PUBLISHED),
)
_NUMBERS = ("value", "low", "high", "n", "p", "p_holm")
_RECALL = "recall"


@dataclass(frozen=True)
class _Kind:
    """One of the tables: its number, its mixtures, what they are compared with, and what is searched."""

    number: int
    title: str
    mixtures: tuple[str, ...]
    baseline: str
    data_set: str


def retrieval_tables(results: Results, out_of_domain: str, in_domain: str) -> dict[str, Table]:
    """Tables 3, 5, 11 and 12, by name. The retrieval sets are keys of `params.yaml`.

    Measures, by what is found (`text`, `image`) among how many (`k`), and the mean of the six: `recall` in percent, its
    `deviation` over seeds, and its `gain` over training without counterfactuals, in points. Our rows are those of the
    published division, after the reported ones.
    """
    kinds = (
        _Kind(3, "Table 3: out-of-domain retrieval", COMPARED_MIXTURES, "ms-coco", out_of_domain),
        _Kind(
            5,
            "Table 5: retrieval of withheld counterfactuals",
            (PRE_TRAINED, "withheld-ms-coco", "withheld-counterfactuals"),
            "withheld-ms-coco",
            WITHHELD,
        ),
        _Kind(11, "Table 11: training with correctly matched samples", ("correct",), "ms-coco", out_of_domain),
        _Kind(12, "Table 12: in-domain retrieval", COMPARED_MIXTURES, "ms-coco", in_domain),
    )
    return {f"table{kind.number}": _table(results, kind) for kind in kinds}


def _table(results: Results, kind: _Kind) -> Table:
    rows = with_holm([*_reported(kind), *_ours(results, kind)])
    note = " ".join(filter(None, [underlines(rows), _notes(kind.number)]))
    name = f"table{kind.number}"
    return Table(name, kind.title, tidy(rows, _IDENTITY, _NUMBERS), _views(kind, results.level, note))


def _ours(results: Results, kind: _Kind) -> Iterator[Row]:
    for model, name in results.names.items():
        baseline = results.recalls(model, kind.baseline, PUBLISHED_DIVISION, kind.data_set)
        for mixture in kind.mixtures:
            found = results.recalls(model, mixture, PUBLISHED_DIVISION, kind.data_set)
            size = results.size(mixture, PUBLISHED_DIVISION)
            place = {
                "model": model,
                "name": name,
                "train_set": "none" if mixture == PRE_TRAINED else mixture,
                "mixture": mixture,
                "train_samples": str(size.samples),
                "counterfactual_samples": str(size.counterfactual),
                "counterfactual_share": f"{100 * size.counterfactual / max(1, size.samples):.0f}",
                "data_set": kind.data_set,
            }
            for measure in (one for one in MEASURES if one in found):
                other = baseline.get(measure) if mixture not in (PRE_TRAINED, kind.baseline) else None
                of_measure = {**place, "retrieved": measure[0], "k": measure[1]}
                yield from our_rows(of_measure, _RECALL, found[measure], other, results.confidence)


def _reported(kind: _Kind) -> Iterator[Row]:
    rows = reported(kind.number)
    baselines = rows if kind.number != 11 else reported(3)
    without = {
        (row["system"], row["direction"], row["metric"]): row for row in baselines if row["mixture"] == kind.baseline
    }
    for row in rows:
        place = {
            "name": row["system"],
            "train_set": row["train_set"],
            "mixture": row["mixture"],
            "train_samples": row.get("n_train", ""),
            "counterfactual_samples": row.get("n_train_cf", ""),
            "counterfactual_share": row.get("pct_cf", ""),
            "data_set": row["dataset"],
            "retrieved": RETRIEVED_ITEM.get(row["direction"], BOTH),
            "k": row["metric"].removeprefix("recall@"),
        }
        is_gain = row["mixture"] not in (PRE_TRAINED, kind.baseline)
        other = without[row["system"], row["direction"], row["metric"]] if is_gain else None
        yield from reported_rows(place, _RECALL, row, other)


def _views(kind: _Kind, level: str, note: str) -> tuple[View, ...]:
    share = {"counterfactual_share": "CFs (%)"} if kind.number == 3 else {"counterfactual_samples": "CFs"}
    sizes: dict[str, str] = {} if kind.number == 5 else {"train_samples": "Samples", **share}
    of = {"model": "", "name": "Model", "source": "From", "mixture": "", "train_set": "Trained on", **sizes}
    # Of two reported rows with the same words, the share tells which is which.
    share_of = {"model": "", "name": "Model", "source": "From", "mixture": "", "train_set": "Trained on"}
    share_of |= share if kind.number != 5 else {}
    cells = {
        f"{'Text' if found == TEXT else 'Image'}@{k}": {"retrieved": found, "k": str(k)}
        for found in (TEXT, IMAGE)
        for k in DEPTHS
    }
    mean = {"retrieved": BOTH, "k": MEAN}
    cells["Mean"] = mean

    def columns(measure: str) -> tuple[Column, ...]:
        return tuple(Column(heading, measure, where, write=decimal(2)) for heading, where in cells.items())

    seeds = Column("Seeds", DEVIATION, mean, number="n", write=count)
    return (
        View(
            "Retrieval after training: recall at 1, 5 and 10 in percent of text by images, and of images by text; the "
            f"mean over seeds (COCO-Counterfactuals Table {kind.number}).",
            of,
            columns(_RECALL),
            note,
        ),
        View("Standard deviations of these over seeds, in points.", of, (*columns(DEVIATION), seeds)),
        *views_of_tests(_RECALL, kind.baseline, share_of, mean=mean, cells=cells, level=level),
    )


def _notes(table: int) -> str:
    if table == 5:
        return _gains_of_table5()
    if table == 11:
        return _directions_of_table11()
    if table == 12:
        without, half = (number(12, mixture=mixture, metric="mean") for mixture in ("ms-coco", "base"))
        return (
            "The paper says that counterfactuals also help in-domain retrieval; with half of the samples "
            f"counterfactual, its mean is {half:.2f}, below the {without:.2f} without any."
        )
    return ""


def _gains_of_table5() -> str:
    systems = list(dict.fromkeys(row["system"] for row in reported(5)))
    gains = []
    for system in systems:
        before, after = (
            number(5, system=system, mixture=mixture, metric="mean")
            for mixture in (PRE_TRAINED, "withheld-counterfactuals")
        )
        gains.append(f"{after - before:.2f} ({system})")
    listed = f"{', '.join(gains[:-1])} and {gains[-1]}"
    return (
        f"By its numbers, the paper's means rise over the pre-trained checkpoints by {listed}; its text says 11.47 for "
        "Flava. Recall depends on how many samples are withheld: 30% of the pairs."
    )


def _directions_of_table11() -> str:
    def distance(*, exchanged: bool) -> float:
        return sum(abs(eleven - three) for eleven, three in _cells_of_table11(exchanged=exchanged))

    return (
        "The two directions of the reported row are probably exchanged: its six numbers differ from those of the "
        f"best row of Table 3 (34,820 samples) by {distance(exchanged=False):.2f} points in total, and by "
        f"{distance(exchanged=True):.2f} if text and image are exchanged. Its mean is not affected."
    )


def _cells_of_table11(*, exchanged: bool) -> Iterator[tuple[float, float]]:
    directions: Sequence[Any] = list(RETRIEVED_ITEM)
    for place, direction in enumerate(directions):
        other = directions[1 - place] if exchanged else direction
        for depth in DEPTHS:
            metric = f"recall@{depth}"
            eleven = number(11, direction=direction, metric=metric)
            yield eleven, number(3, direction=other, metric=metric, mixture="medium")
