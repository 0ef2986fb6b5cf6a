"""What can be recomputed of COCO-Counterfactuals' reported tables about the data set and about retrieval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from whatif.benchmarks.coco_counterfactuals import claims_in_text
from whatif.engine.language.human_words import HUMAN_WORDS, is_human
from whatif.results.contradictions import Claim
from whatif.results.contradictions.counts import same_baseline
from whatif.results.contradictions.formulas import (
    at_least,
    equals,
    less_than,
    more_than,
    not_checkable,
    ordered,
    same,
    up_to,
)
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.quantity import exactly, largest, mean, printed, total
from whatif.results.contradictions.significance import kappa_allows
from whatif.results.reporting.published_numbers import published

_LABELS = ("correct", "incorrect", "neither", "both")
_RECALLS = ("recall@1", "recall@5", "recall@10")
_DIRECTIONS = ("text-retrieval", "image-retrieval")
_HUNDRED = printed("100")
_claim = partial(Claim, "COCO-Counterfactuals")


def claims() -> Iterator[Claim]:
    """All claims about the data set and its evaluation, in the order of the paper."""
    text = claims_in_text.numbers()
    yield from claims_in_text.claims(text)
    yield from _labels(text)
    yield from _retrieval("2", text)
    yield from _retrieval("13", text)
    yield from _errors(text)
    yield from _frequent_subjects(text)
    yield from _human_taxonomy(text)


def _labels(text: Cells) -> Iterator[Claim]:
    """Table 1, and what 4.1 says of it."""
    cells = Cells(published(__package__, "table1"), "image_set", "metric")
    for images in cells.names(0):
        found = equals(_HUNDRED, total(cells.q(images, label) for label in _LABELS), "the sum of the four labels")
        yield _claim("Table 1", images, "sum", found)
    for label in _LABELS:
        found = equals(
            cells["all", label],
            mean(cells.q(images, label) for images in ("original", "counterfactual")),
            "the mean of both rows",
        )
        yield _claim("Table 1", f"all, {label}", "mean", found)
    human = "human"
    reported = text["sec4.1", human, "all", "all", "correct"]
    yield _claim("4.1", "right captions", "same number", same(reported, cells["all", "correct"], "table 1"))
    excess = cells.q("counterfactual", "incorrect") - cells.q("original", "incorrect")
    reported = text["sec4.1", human, "all", "counterfactual", "excess_of_incorrect_over_original"]
    yield _claim(
        "4.1",
        "more wrong captions of counterfactual images",
        "difference",
        equals(reported, excess, "the difference in table 1"),
    )
    reported = text["sec5.1", human, "all", "all", "incorrectly_labelled"]
    wrong = equals(reported, exactly(100) - cells.q("all", "correct"), "100 minus the right captions of table 1")
    yield _claim("5.1", "wrongly labelled", "difference", wrong)
    group = "agreement-sample-with-disagreement"
    parts = [text["sec4.1", human, group, "all", f"labels_{label}"] for label in _LABELS[:3]]
    rest = 100 - sum(part.value for part in parts)
    found = not_checkable(
        _HUNDRED.text,
        f"the printed labels add up to {float(100 - rest):.1f}%; the share of the fourth answer, both captions, is not "
        f"printed, and would be {float(rest):.1f}%",
    )
    yield _claim("4.1", "labels in disagreement", "sum", found, "labels in disagreement")
    found = kappa_allows(
        text["sec4.1", human, "agreement-sample", "all", "fleiss_kappa"],
        [cells["all", label] for label in _LABELS],
        parts,
    )
    yield _claim("4.1", "Fleiss' kappa", "agreement", found)


def _retrieval(number: str, text: Cells) -> Iterator[Claim]:
    cells = Cells(published(__package__, f"table{number}"), "system", "dataset", "direction", "metric")
    systems, datasets = cells.names(0), cells.names(1)
    for system in systems:
        for dataset in datasets:
            for direction in _DIRECTIONS:
                values = [cells.q(system, dataset, direction, recall) for recall in _RECALLS]
                cell = f"{system}, {dataset}, {direction.replace('-', ' ')}"
                yield _claim(f"Table {number}", cell, "order", ordered(values, "recalls at 1, 5 and 10"))
        for direction in _DIRECTIONS:
            for recall in _RECALLS:
                keys = [(system, dataset, direction, recall) for dataset in datasets]
                found = same_baseline([(cells[key], cells.delta(*key)) for key in keys])
                cell = f"{system}, {direction.replace('-', ' ')}, {recall}"
                yield _claim(f"Table {number}", cell, "relative change", found)
                yield from _changes(number, cells, keys)
    for system in systems:
        key = ("sec4.2.1", system, "all", "all", "max_retrieval_drop")
        if key in text:
            drops = [-cells.delta(*key).quantity for key in cells if key[0] == system]
            found = up_to(text[key], largest(drops), "the largest drop in table 2")
            yield _claim("4.2.1", system, "limit", found)


def _changes(number: str, cells: Cells, keys: Sequence[tuple[str, ...]]) -> Iterator[Claim]:
    """The signs of the changes: all fall in Table 2 (4.2.1), text retrieval in Table 13, by little (A.6)."""
    for key in keys:
        change = cells.delta(*key).quantity
        cell = ", ".join(key)
        if number == "13" and key[2] == "image-retrieval":
            found = more_than("an increase", 0, change, "the change in percent")
            yield _claim("A.6, Table 13", cell, "order", found)
            continue
        found = less_than("a decrease", 0, change, "the change in percent")
        yield _claim(f"{'4.2.1' if number == '2' else 'A.6'}, Table {number}", cell, "order", found)
        if number == "13":
            found = at_least("marginal (at most 10%)", -_MARGINAL, change, "the change in percent")
            yield _claim("A.6, Table 13", cell, "limit", found, "marginal degradation")


_MARGINAL = 10  # percent; a change that nobody would call marginal is larger


def _errors(text: Cells) -> Iterator[Claim]:
    """Table 7 and A.3.1."""
    cells = Cells(published(__package__, "table7"), "error_category")
    shares = {name: cells.q(name) for (name,) in cells}
    yield _claim(
        "Table 7", "all categories", "sum", equals(_HUNDRED, total(shares.values()), "the sum of all categories")
    )
    groups = {
        "share_known_diffusion_limitations": [name for name in shares if name.startswith("Failure")],
        "share_hyponymy": [name for name in shares if name.startswith("Hyponymy")],
        "share_annotation_error": [name for name in shares if name.startswith("Human annotation")],
        "share_both_subjects_present": [name for name in shares if name.startswith("Both")],
    }
    for metric, names in groups.items():
        reported = text["appA.3.1", "none", "error-sample", "all", metric]
        found = equals(
            reported, total(exactly(cells[name].value) for name in names), "the sum of these categories in table 7"
        )
        yield _claim("A.3.1", metric.replace("share_", "").replace("_", " "), "sum", found)


def _frequent_subjects(text: Cells) -> Iterator[Claim]:
    """Table 10 and A.3.2."""
    cells = Cells(published(__package__, "table10"), "subject_original", "subject_counterfactual")
    pairs = list(cells)

    def number(metric: str, group: str = "errors") -> tuple[str, ...]:
        return "appA.3.2", "none", group, "all", metric

    least = text[number("min_occurrences_for_table10")]
    fewest = -largest(-exactly(cells[pair].value) for pair in pairs)
    yield _claim(
        "Table 10",
        "fewest errors",
        "limit",
        at_least(f"at least {least.text}", least.value, fewest, "the smallest number"),
    )
    found = equals(text[number("most_frequent_pairs_listed")], exactly(len(pairs)), "the number of pairs in table 10")
    yield _claim("A.3.2", "pairs of Table 10", "same number", found)
    human = exactly(sum(any(map(is_human, pair)) for pair in pairs))
    missing = sorted({word for pair in pairs for word in pair if not is_human(word)} - {"building", "house"})
    found = equals(
        text[number("human_pairs_among_most_frequent")],
        human,
        "the number of pairs with a word of the list",
        f"{' and '.join(missing)} are not in the list",
    )
    yield _claim("A.3.2", "human pairs of Table 10", "same number", found, "words of the human taxonomy")
    found = equals(text[number("words_in_list", "human-taxonomy")], exactly(len(HUMAN_WORDS)), "the number of words")
    yield _claim("A.3.2", "words of the list", "same number", found)


def _human_taxonomy(text: Cells) -> Iterator[Claim]:
    """The error rate of human subjects. 4,117 are pairs and 1,864 images of them, as the released captions show."""

    def number(metric: str) -> tuple[str, ...]:
        return "appA.3.2", "none", "human-taxonomy", "all", metric

    texts, errors, rate = text[number("image_text_pairs")], text[number("errors")], text[number("error_rate")]
    share = exactly(errors.value) / texts.value * 100
    found = equals(rate, share, f"the share of {errors.text} in {texts.text} in percent")
    yield _claim("A.3.2", "error rate", "share", found, "human error rate")
    everything = text["sec5.1", "human", "all", "all", "incorrectly_labelled"].quantity
    of_images = share / 2
    note = f"{int(texts.value):,} are pairs, {int(errors.value):,} images"
    limit = f"above that of all images, {float(everything.nominal):.2f}"
    found = more_than(limit, everything, of_images, "the rate of images in percent", note)
    yield _claim("A.3.2", "error rate, counted by image", "order", found, "human error rate by image")
