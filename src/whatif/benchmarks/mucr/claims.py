"""What can be recomputed of MuCR's reported tables: possible percentages, repeated numbers, and comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from whatif.benchmarks.mucr import claims_in_text
from whatif.benchmarks.mucr.reported import POPULAR, SMALL, TABLES
from whatif.results.contradictions import DOES_NOT_HOLD, HOLDS, Claim, Outcome
from whatif.results.contradictions.counts import possible
from whatif.results.contradictions.formulas import at_most, less_than, more_than, same
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.quantity import Printed, Quantity, exactly, printed
from whatif.results.contradictions.significance import against_chance, paired_fall
from whatif.results.reporting.published_numbers import published

_SCORES = ("C2E", "CP", "EXP")
_FORMS = ("text", "multimodal")
_CHANCE = Fraction(1, 4)  # four options
_PAIRS = 4000  # caption pairs (3.1)
SAMPLE = 400  # items; all reported numbers are multiples of 0.25%
_claim = partial(Claim, "MuCR")


def claims() -> Iterator[Claim]:
    """All claims about MuCR, in the order of the paper."""
    main = Cells(published(__package__, "table6"), "system", "form", "metric")
    classes = {row["system"]: row["model_class"] for row in published(__package__, "table6")}
    yield from claims_in_text.sizes()
    yield from _possible()
    yield from _sample()
    yield from _repeated(main)
    yield from claims_in_text.scores(main)
    yield from _people(main, classes)
    yield from _best(main, classes)
    yield from _modalities(main, classes)
    yield from _chance(main, classes)
    yield from _forms()
    yield from _hints()
    yield from _strategies()
    yield from _fine_tuning()
    yield from _deepseek(main)


def _possible() -> Iterator[Claim]:
    """Every number as a share of a sample of 400 items, which none of the tables states."""
    for table in TABLES:
        for row in published(__package__, f"table{table}"):
            labels = [row[name] for name in ("visual_form", "text_hints", "strategy", "fine_tuning") if name in row]
            cell = ", ".join([row["system"], *labels, row["form"], row["metric"]])
            found = possible(printed(row["value"]), SAMPLE, "items")
            yield _claim(f"Table {table}", cell, "possible percentage", found, "sample of 400")


def _sample() -> Iterator[Claim]:
    """What the multiples of 0.25 say about the number of items, and about people's mean over ten attempts."""
    everything = [
        (row["system"], printed(row["value"])) for table in TABLES for row in published(__package__, f"table{table}")
    ]
    people = [number for system, number in everything if system == "Human"]
    yield _claim(
        "Tables",
        "number of items",
        "sample size",
        _grid([number for _, number in everything], _PAIRS, "pairs"),
        "sample",
    )
    attempts = SAMPLE * 10
    found = _grid(people, attempts, "answers")
    yield _claim("Figure 5, Table 6", "people, mean of ten attempts", "sample size", found, "sample")


def _grid(numbers: Sequence[Printed], items: int, what: str) -> Outcome:
    """Whether scores may be shares of this many items: then only some of them would be multiples of 1/400."""
    fitting = sum((number.value * SAMPLE / 100).denominator == 1 for number in numbers)
    chance = Fraction(SAMPLE, items) ** fitting
    size = len(str(chance.denominator // chance.numerator)) - 1
    verdict = DOES_NOT_HOLD if chance < Fraction(1, 1000) else HOLDS
    text = (
        f"{fitting} of {len(numbers)} scores are multiples of 0.25%, as of {SAMPLE} items; of {items:,} {what}, the "
        f"probability of that is 10^-{size}."
    )
    return Outcome(verdict, f"{items:,} {what}", exactly(SAMPLE).low, exactly(SAMPLE).high, text)


def _repeated(main: Cells) -> Iterator[Claim]:
    """The rows of other tables that are rows of Table 6."""
    plain = {"visual_form": "Form-1", "text_hints": "without", "strategy": "direct", "fine_tuning": "before"}
    for table in (table for table in TABLES if table != "6"):
        for row in published(__package__, f"table{table}"):
            key = (row["system"], row["form"], row["metric"])
            if key in main and all(row.get(name, value) == value for name, value in plain.items()):
                found = same(printed(row["value"]), main[key], "table 6")
                yield _claim(f"Table {table}", ", ".join(key), "same number", found, "repeated numbers")


def _people(main: Cells, classes: dict[str, str]) -> Iterator[Claim]:
    for system in _models(classes, POPULAR, SMALL):
        for form in _FORMS:
            for score in _SCORES:
                found = less_than(
                    "below people", main.q("Human", form, score), main.q(system, form, score), "the score"
                )
                yield _claim("4.2, Table 6", f"{system}, {form}, {score}", "order", found, "below people")


def _best(main: Cells, classes: dict[str, str]) -> Iterator[Claim]:
    """GPT-o1 is said to be the best of all, LLaVA-NeXT the best of the small models (on images)."""
    for best, among, forms in (("GPT-o1", (POPULAR, SMALL), _FORMS), ("LLaVA-NeXT", (SMALL,), ("multimodal",))):
        for form in forms:
            for score in _SCORES:
                others = {name: main.q(name, form, score) for name in _models(classes, *among) if name != best}
                rival = max(others, key=lambda name: others[name].nominal)
                note = f"the best other one is {rival} with {float(others[rival].nominal):.2f}"
                found = more_than("the best", others[rival], main.q(best, form, score), "the score", note)
                yield _claim(
                    "4.2, Table 6", f"{best} against other models, {form}, {score}", "order", found, f"best: {best}"
                )


def _modalities(main: Cells, classes: dict[str, str]) -> Iterator[Claim]:
    """All models of Figure 5, which are the popular ones, drop from text to images; people do not noticeably (4.2).

    The claim says *noticeable*: for people, a difference at 5% of two samples of 400. For models, any drop will do.
    """
    for system in _models(classes, POPULAR):
        for score in _SCORES:
            drop = main.q(system, "text", score) - main.q(system, "multimodal", score)
            found = more_than("a drop", 0, drop, "the score of text minus that of images")
            yield _claim("4.2, Table 6", f"{system}, {score}", "order", found, "all models drop")
    for score in _SCORES:
        drop = main.q("Human", "text", score) - main.q("Human", "multimodal", score)
        most = _least_difference(main["Human", "text", score], main["Human", "multimodal", score])
        note = f"p = 0.05 is at {float(most):.1f} points"
        found = at_most("no noticeable drop", most, drop, "the score of text minus that of images", note)
        yield _claim("4.2, Table 6", f"Human, {score}", "significance", found, "people do not drop")


def _chance(main: Cells, classes: dict[str, str]) -> Iterator[Claim]:
    """Popular models are above chance (B.1), LLaVA-NeXT is around it (4.2), most small models are below it (B.1)."""
    for system in _models(classes, POPULAR):
        for form in _FORMS:
            for score in _SCORES:
                found = against_chance(main[system, form, score], _CHANCE, SAMPLE, "above", "items")
                yield _claim("B.1, Table 6", f"{system}, {form}, {score}", "significance", found, "above chance")
    for score in _SCORES:
        found = against_chance(main["LLaVA-NeXT", "multimodal", score], _CHANCE, SAMPLE, "at", "items")
        yield _claim("4.2, Table 6", f"LLaVA-NeXT, multimodal, {score}", "significance", found, "around chance")
    for form in _FORMS:
        scores = [main[name, form, score] for name in _models(classes, SMALL) for score in _SCORES]
        below = exactly(sum(score.value < 25 for score in scores))
        half = Fraction(len(scores), 2)
        found = more_than("most of them", half, below, f"the number of {len(scores)} scores below 25")
        yield _claim("B.1, Table 6", f"small models, {form}", "order", found)


def _forms() -> Iterator[Claim]:
    """Separate images (Form-3) give marked gains (5.1)."""
    cells = Cells(published(__package__, "table1"), "system", "visual_form", "metric")
    for system in cells.names(0):
        for score in _SCORES:
            for other in ("Form-1", "Form-2"):
                gain = cells.q(system, "Form-3", score) - cells.q(system, other, score)
                found = more_than("a gain", 0, gain, f"Form-3 minus {other}")
                yield _claim("5.1, Table 1", f"{system}, {score}, {other}", "order", found, "gain of Form-3")
            # Whether a gain is marked is taken as significance: a fall from Form-3 to Form-1.
            found = paired_fall(cells[system, "Form-3", score], cells[system, "Form-1", score], SAMPLE, "items")
            yield _claim("5.1, Table 1", f"{system}, {score}, Form-3", "significance", found, "marked gain of Form-3")


def _hints() -> Iterator[Claim]:
    cells = Cells(published(__package__, "table2"), "system", "text_hints", "metric")
    with_hints = next(name for name in cells.names(1) if name != "without")
    for system in cells.names(0):
        for score in _SCORES:
            gain = cells.q(system, with_hints, score) - cells.q(system, "without", score)
            found = more_than("a gain", 0, gain, "the score with hints minus that without")
            yield _claim("5.2, Table 2", f"{system}, {score}", "order", found, "gain of hints")


def _strategies() -> Iterator[Claim]:
    """VcCoT is said to be superior to the others (5.3)."""
    cells = Cells(published(__package__, "table3"), "strategy", "metric")
    for score in _SCORES:
        for other in (name for name in cells.names(0) if name != "vccot"):
            found = _above(cells.q("vccot", score), cells.q(other, score), other)
            yield _claim("5.3, Table 3", f"{score}, {other}", "order", found, "VcCoT is best")


def _above(value: Quantity, other: Quantity, name: str) -> Outcome:
    note = f"that one is {float(other.nominal):.2f}"
    return more_than(f"better than {name}", other, value, "the score of VcCoT", note)


def _fine_tuning() -> Iterator[Claim]:
    """Fine-tuning did not improve the scores of three small models (limitations)."""
    cells = Cells(published(__package__, "table4"), "system", "fine_tuning", "metric")
    for system in cells.names(0):
        for score in _SCORES:
            gain = cells.q(system, "after", score) - cells.q(system, "before", score)
            found = at_most("no gain", 0, gain, "the score after fine-tuning minus that before")
            yield _claim("7, Table 4", f"{system}, {score}", "order", found, "no gain by fine-tuning")


def _deepseek(main: Cells) -> Iterator[Claim]:
    """On text, DeepSeek-R1 is comparable to GPT-o1 (no difference at 5% of two samples of 400), V3 below (B.1)."""
    cells = Cells(published(__package__, "table7"), "system", "form", "metric")
    for score in _SCORES:
        gap = abs(cells.q("DeepSeek-R1", "text", score) - main.q("GPT-o1", "text", score))
        most = _least_difference(cells["DeepSeek-R1", "text", score], main["GPT-o1", "text", score])
        found = at_most("comparable", most, gap, "the difference in points", f"p = 0.05 is at {float(most):.1f} points")
        yield _claim("B.1, Table 7", f"DeepSeek-R1, {score}", "significance", found, "comparable")
        found = less_than(
            "below GPT-o1", main.q("GPT-o1", "text", score), cells.q("DeepSeek-V3", "text", score), "the score"
        )
        yield _claim("B.1, Table 7", f"DeepSeek-V3, {score}", "order", found)


def _least_difference(one: Printed, other: Printed) -> Fraction:
    """The difference in points from which two shares of 400 items differ at 5% (normal approximation, two-sided)."""
    shares = [float(number.value) / 100 for number in (one, other)]
    return Fraction(100 * 1.96 * sum(share * (1 - share) / SAMPLE for share in shares) ** 0.5)


def _models(classes: dict[str, str], *among: str) -> list[str]:
    return [system for system, of in classes.items() if of in among]
