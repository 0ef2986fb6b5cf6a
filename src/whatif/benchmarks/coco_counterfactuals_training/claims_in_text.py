"""What can be recomputed of the paper's text about training: sizes, gains, saturation, significance, correlation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from whatif.benchmarks.coco_counterfactuals_training.claim_cells import (
    COLUMNS,
    CORRECT,
    DIRECTIONS,
    MEAN,
    MIXTURES,
    PHOTOGRAPHS,
    PRE_TRAINED,
    RECALLS,
    SEEDS,
    over_seeds,
    withheld_cells,
)
from whatif.results.contradictions import Claim, Outcome
from whatif.results.contradictions.formulas import about, at_least, at_most, equals, more_than, part_of, same
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.quantity import Quantity, exactly, largest, mean, printed
from whatif.results.contradictions.significance import better_over_seeds, correlation, random_part
from whatif.results.reporting.published_numbers import published

_PAIRS = "whatif.benchmarks.coco_counterfactuals"  # the numbers of the text are there
_SOURCES = {"base": "b-base", "medium": "c-medium", "all": "d-all"}  # in B.3.1
_claim = partial(Claim, "COCO-Counterfactuals")


def claims(retrieval: Mapping[str, Cells], recognition: Cells) -> Iterator[Claim]:
    """Claims about the text, by section."""
    text = Cells(published(_PAIRS, "text"), "location", "system", "group", "variant", "metric")
    yield from _training_sizes(text)
    yield from _gains_in_retrieval(text, retrieval)
    yield from _recognition(text, recognition)
    yield from _withheld(text)
    yield from _label_frequency(text)
    yield from _correct_only(text, retrieval)


def _training_sizes(text: Cells) -> Iterator[Claim]:
    """80% of each mixture is for training (B.3.1), as Tables 3 and 12 have it."""
    shares = {(row["train_set"], row["n_train"]): row["pct_cf"] for row in published(__package__, "table3")}
    numbers = {(row["train_set"], row["n_train"]): row["n_train_cf"] for row in published(__package__, "table12")}
    share = text["appB.3.1", "none", "each-dataset", "all", "train_share"].value / 100
    sources = {"photographs": ("a-MS-COCO", "original", PHOTOGRAPHS)} | {
        name: (source, "all", MIXTURES[name]) for name, source in _SOURCES.items()
    }
    for name, (group, variant, row) in sources.items():
        whole = exactly(text["appB.3.1", "none", group, variant, "samples"].value)
        found = part_of(printed(row[1]), whole * share, "80% of the mixture")
        yield _claim("Table 3", f"{name}, training samples", "share", found, "training samples")
    for name, row in MIXTURES.items():
        part, size = printed(numbers[row]), printed(row[1])
        found = equals(printed(shares[row]), exactly(part.value) / size.value * 100, "the share in table 12 in percent")
        yield _claim("Table 3", f"{name}, share of counterfactual samples", "share", found)
        mixture, chosen = (
            int(text["appB.3.1", "none", _SOURCES[name], variant, "samples"].value)
            for variant in ("all", "counterfactual-pairs")
        )
        found = random_part(part, chosen, mixture, int(size.value), "counterfactual samples")
        yield _claim("Table 12", f"{name}, counterfactual samples", "share", found, "training samples")
    best = text["sec5.1", "CLIP", "best-training-set", "all", "counterfactual_training_pairs"]
    found = same(best, printed(numbers[MIXTURES["medium"]]), "table 12")
    yield _claim("5.1", "counterfactual samples of the best model", "same number", found)


def _gains_in_retrieval(text: Cells, retrieval: Mapping[str, Cells]) -> Iterator[Claim]:
    table3, table12 = retrieval["3"], retrieval["12"]
    gains = [table3.q(*row, *MEAN) - table3.q(*PRE_TRAINED, *MEAN) for row in MIXTURES.values()]
    reported = text["sec5.1", "CLIP", "Flickr30k-1K-test", "all", "mean_gain_over_pretrained"]
    found = about(reported, mean(gains), "the mean gain of the three mixtures in points")
    yield _claim("5.1", "mean gain over the pre-trained model", "mean", found)
    for number, section in (("3", "5.1"), ("12", "A.5")):  # the best model, in all settings
        cells = retrieval[number]
        for column in [*COLUMNS, MEAN]:
            new, old = (over_seeds(cells, *row, *column) for row in (MIXTURES["medium"], PHOTOGRAPHS))
            found = better_over_seeds(new, old, SEEDS, significant=True)
            cell = f"medium, {' '.join(column).replace('-', ' ')}"
            yield _claim(f"{section}, Table {number}", cell, "significance", found, "the best model in all settings")
    for name, row in MIXTURES.items():
        gain = table12.q(*row, *MEAN) - table12.q(*PHOTOGRAPHS, *MEAN)
        found = more_than("an increase", 0, gain, "the mean minus that of photographs")
        yield _claim("A.5, Table 12", name, "order", found, "in-domain gains")
    base = table3.q(*MIXTURES["base"], *MEAN)
    found = at_least("at least as good as photographs", table3.q(*PHOTOGRAPHS, *MEAN), base, "the mean of base")
    yield _claim("5.3, Table 3", "base against photographs", "order", found)
    best = text["sec5.3", "CLIP", "saturation-Flickr30k", "all", "pct_cf"]
    yield _claim("5.3, Table 3", f"{best.text}% counterfactual samples", "order", _is_best(table3, "medium", MEAN))


def _recognition(text: Cells, cells: Cells) -> Iterator[Claim]:
    base, photographs, before = MIXTURES["base"], PHOTOGRAPHS, PRE_TRAINED
    best = text["sec5.3", "CLIP", "saturation-image-recognition", "all", "pct_cf"]
    yield _claim("5.3, Table 4", f"{best.text}% counterfactual samples", "order", _is_best(cells, "base", ("mean",)))
    datasets = [name for name in cells.names(2) if name != "mean"]
    for name in datasets:
        gain = cells.q(*base, name) - cells.q(*before, name)
        limit = "a gain (on all but Food101)" if name != "Food101" else "no gain"
        check = more_than if name != "Food101" else at_most
        yield _claim("5.2, Table 4", f"base, {name}", "order", check(limit, 0, gain, "accuracy minus pre-trained"))
    better = exactly(sum(cells[(*base, name)].value > cells[(*photographs, name)].value for name in datasets))
    found = more_than(
        "most data sets", len(datasets) // 2, better, "the number of data sets where base beats photographs"
    )
    yield _claim("5.2, Table 4", "base against photographs", "order", found)
    gains = [cells.q(*row, "mean") - cells.q(*before, "mean") for row in (base, photographs)]
    reported = text["sec5.3", "CLIP", "image-recognition", "all", "gain_ratio_cf_over_real"]
    found = about(reported, gains[0] / gains[1], "the gain of base divided by that of photographs")
    yield _claim("5.3, Table 4", "ratio of gains", "share", found)


def _withheld(text: Cells) -> Iterator[Claim]:
    """Table 5: the gains in A.1, and that its smaller pool is easier than that of Tables 2 and 13 (footnote 12)."""
    cells = withheld_cells()
    relative = []
    for system in cells.names(0):
        after = cells.q(system, "COCO-CFs", *MEAN)
        for metric, before in (("over_pretrained", "none"), ("over_ms_coco_training", "MS-COCO")):
            reported = text["appA.1", system, "withheld-test", "all", f"mean_improvement_{metric}"]
            found = equals(reported, after - cells.q(system, before, *MEAN), "the difference in table 5")
            cell = f"{system}, gain {metric.replace('_', ' ')}"
            yield _claim("A.1", cell, "difference", found, "gains in table 5")
        relative.append((after / cells.q(system, "none", *MEAN) - 1) * 100)
    everyone = "CLIP, BridgeTower and Flava"
    for section, place in (("sec4.2.3", "4.2.3"), ("appA.1", "A.1")):
        reported = text[section, everyone, "withheld-test", "all", "mean_relative_improvement"]
        found = equals(reported, mean(relative), "the mean relative gain in table 5 in percent")
        yield _claim(place, "mean relative gain", "mean", found, "gains in table 5")
    systems = {
        "CLIP": ("13", "Clip"),
        "BridgeTower": ("2", "bridgetower-large-itm-mlm-itc"),
        "Flava": ("2", "flava-full"),
    }
    for system, (number, name) in systems.items():
        whole = Cells(published(_PAIRS, f"table{number}"), "system", "dataset", "direction", "metric")
        for direction in DIRECTIONS:
            for recall in RECALLS:
                least = whole.q(name, "COCO-CFs", direction, recall)
                value = cells.q(system, "none", direction, recall)
                found = more_than(f"more than in Table {number}", least, value, "recall of the pre-trained model")
                cell = f"{system}, {direction.replace('-', ' ')}, {recall}"
                yield _claim("A.1, Table 5", cell, "order", found)


def _label_frequency(text: Cells) -> Iterator[Claim]:
    """A.2: how label frequencies go with the changes of Table 6."""
    cells = Cells(published(__package__, "table6"), "dataset", "train_variant", "metric")
    datasets = cells.names(0)
    for name in ("Food101", "CIFAR100"):
        found = same(
            text["appA.2", "none", name, "all", "label_frequency"], cells[name, "none", "label_frequency"], "table 6"
        )
        yield _claim("A.2", f"{name}, label frequency", "same number", found)
    pairs = [
        (float(cells[name, "none", "label_frequency"].value), float(cells[name, variant, "accuracy_change"].value))
        for name in datasets
        for variant in MIXTURES
    ]
    reported = text["appA.2", "CLIP", "image-recognition", "all", "pearson_n_measurements"]
    yield _claim("A.2", "measurements", "same number", equals(reported, exactly(len(pairs)), "the number of changes"))
    for metric, of in (("pearson_label_frequency_vs_change", "r"), ("pearson_p_value", "p")):
        found = correlation(text["appA.2", "CLIP", "image-recognition", "all", metric], pairs, of=of)
        yield _claim("A.2", metric.replace("_", " "), "correlation", found)
    # The sentence before is about the best mixture, which is base.
    changes = {name: cells.q(name, "base", "accuracy_change") for name in datasets}
    rival = max((name for name in datasets if name != "CIFAR100"), key=lambda name: changes[name].nominal)
    note = f"{rival} has {float(changes[rival].nominal):.2f}"
    found = more_than("the greatest gain", changes[rival], changes["CIFAR100"], "the gain on CIFAR100", note)
    yield _claim("A.2, Table 6", "base", "order", found, "greatest gain on CIFAR100")
    for name in datasets:
        change = cells.q(name, "base", "accuracy_change")
        limit, check = ("no gain", at_most) if name == "Food101" else ("a gain (on all but Food101)", more_than)
        yield _claim("A.2, Table 6", f"base, {name}", "order", check(limit, 0, change, "the change of base"))


def _correct_only(text: Cells, retrieval: Mapping[str, Cells]) -> Iterator[Claim]:
    """Table 11: sizes, and that leaving wrong pairs out changes little (5.1, A.4), against medium in Table 3."""
    [row] = dict.fromkeys((one["n_train"], one["n_train_cf"]) for one in published(__package__, "table11"))
    whole, part = (exactly(printed(number).value) for number in row)
    share = exactly(100) - text["sec5.1", "human", "all", "all", "incorrectly_labelled"].quantity
    samples = text["appB.3.1", "none", "all", "all", "samples"].value
    train = text["appB.3.1", "none", "each-dataset", "all", "train_share"].value
    found = part_of(printed(row[1]), share / 100 * samples * train / 100, "80% of the rightly labelled samples")
    yield _claim("Table 11", "counterfactual samples", "share", found)
    found = equals(printed(PHOTOGRAPHS[1]), whole - part, "all samples minus the counterfactual ones")
    yield _claim("Table 11", "samples of photographs", "difference", found)
    table3, table11 = retrieval["3"], retrieval["11"]
    medium = MIXTURES["medium"]
    for direction, other in zip(DIRECTIONS, reversed(DIRECTIONS), strict=True):
        for recall in RECALLS:
            key = (direction, recall)
            most = table3.deviation(*medium, *key).quantity * 2
            gap = _gap(table11, table3, key, key)
            exchanged = _gap(table11, table3, key, (other, recall))
            note = (
                f"against {other.replace('-', ' ')} it is {float(exchanged.nominal):.2f}"
                if exchanged.nominal < gap.nominal
                else ""
            )
            found = at_most("similar (2 standard deviations)", most, gap, "the difference from table 3", note)
            cell = f"{direction.replace('-', ' ')}, {recall}"
            yield _claim("A.4, Table 11", cell, "limit", found, "directions of table 11")
    most = table3.deviation(*medium, *MEAN).quantity * 2
    gap = _gap(table11, table3, MEAN, MEAN)
    found = at_most("similar (2 standard deviations)", most, gap, "the difference from table 3")
    yield _claim("A.4, Table 11", "mean", "limit", found)


def _gap(table11: Cells, table3: Cells, key: tuple[str, str], other: tuple[str, str]) -> Quantity:
    return abs(table11.q(*CORRECT, *key) - table3.q(*MIXTURES["medium"], *other))


def _is_best(cells: Cells, name: str, column: tuple[str, ...]) -> Outcome:
    others = [cells.q(*row, *column) for mixture, row in MIXTURES.items() if mixture != name]
    return more_than("the best of the three mixtures", largest(others), cells.q(*MIXTURES[name], *column), "the mean")
