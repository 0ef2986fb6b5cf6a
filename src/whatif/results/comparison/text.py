"""The differences between two sides as text of at most 100 columns, the most important first."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from whatif.engine.files.well_formed import escaped
from whatif.results.comparison.compare import Comparison, Unpaired
from whatif.results.comparison.evaluations import USUAL_ROLES, Key
from whatif.results.comparison.flips import Flip
from whatif.results.comparison.numbers import Number, TableChange
from whatif.results.comparison.origins import Origin
from whatif.results.comparison.report import Report

WIDTH = 100
_LINES = 12  # of each section, unless all are asked for
_NUMBERS = 64  # columns
_SPACE = re.compile(r"[^\S ]|^ | $")  # what `textwrap.wrap` replaces or removes
_HEADING = f"{'n':>7}{'A':>6}{'B':>6}  {'B - A [' + '{:.0%}' + ']':<23}{'p Holm':>7}{'lost':>6}{'gained':>7}"


def lines_of(report: Report, *, every: bool = False, flips: Iterable[Flip] = ()) -> Iterator[str]:
    """The report, one line each; `every` shows what would otherwise be counted only."""
    yield from _filled(f"A: {report.a.name}    B: {report.b.name}")
    if report.is_empty:
        yield "nothing changed"
        return
    most = None if every else _LINES
    for section in (
        _answers(report, most),
        _questions(report.unpaired, most),
        _tables(report, most),
        _origins(report.origins, most),
        _one_sided(report, most),
        _notes(report.notes),
        _flips(flips),
    ):
        for number, line in enumerate(section):
            yield from [line] if number else ["", line]


def _answers(report: Report, most: int | None) -> Iterator[str]:
    changed = [one for one in report.comparisons if one.flips]
    still = len(report.comparisons) - len(changed)
    if not report.compared:
        return
    unchanged = [f"{still} without a flip"] if changed and still else []
    unchanged += [f"{report.same} evaluations with the same bytes"] if report.same else []
    told = f"{report.significant} of {len(changed)} comparisons with a flip differ (Holm, 5%)"
    if not changed:
        told = "none is right on one side only" + (f" ({still} comparisons)" if still else "")
    yield from _filled("Answers: " + "; ".join([told, *unchanged]))
    if not changed:
        return
    yield f"{'':{WIDTH - _NUMBERS}}{_HEADING.format(report.selection.confidence)}"
    shown = changed[:most]
    for benchmark in dict.fromkeys(one.a.benchmark for one in shown):
        yield _cut(escaped(benchmark))
        for one in shown:
            if one.a.benchmark == benchmark:
                yield from _comparison(one)
    yield from _more(len(changed) - len(shown), "comparisons")


def _comparison(one: Comparison) -> Iterator[str]:
    name = "  " + escaped(" ".join(filter(None, [evaluation_name(one.a, one.b), one.variant, one.group])))
    if len(name) >= WIDTH - _NUMBERS:
        yield _cut(name)
        name = ""
    a, b = (f"{100 * right / one.n:.1f}" for right in (one.right_a, one.right_b))
    low, high = (f"{100 * end:+.1f}" for end in (one.difference.low, one.difference.high))
    difference = f"{100 * one.difference.estimate:+.1f} [{low}, {high}]"
    numbers = f"{one.n:>7}{a:>6}{b:>6}  {difference:<23}{p_value(one.p_holm):>7}{one.lost:>6}{one.gained:>7}"
    yield f"{name:{WIDTH - _NUMBERS}}{numbers}"


def evaluation_name(a: Key, b: Key) -> str:
    """The model, the role if it is not the usual one, and what else divides the evaluation."""
    role = "" if a.role in USUAL_ROLES else a.role
    if a.model == b.model:
        return " ".join(filter(None, [a.model, role, *a.settings]))
    settings = a.settings if a.settings == b.settings else ()
    return " ".join(filter(None, [role, *settings]))


def p_value(value: float | None) -> str:
    """A p-value with three digits; empty where there is none."""
    return "" if value is None else "<0.001" if value < 0.001 else f"{value:.3f}"


def _questions(unpaired: Sequence[Unpaired], most: int | None) -> Iterator[str]:
    if not unpaired:
        return
    yield "Questions that are not compared, and pictures that differ:"
    for one in unpaired[:most]:
        parts = []
        for kind, number, words in (
            ("only_a", one.only_a, "only in A"),
            ("only_b", one.only_b, "only in B"),
            ("changed", one.changed, "with another text, choices or answer"),
        ):
            if number:
                ids = dict(one.named)[kind]
                parts.append(f"{number:,} {words} ({', '.join(ids[:2])}{', ...' if number > 2 else ''})")
        if one.pictures:
            parts.append(f"{one.pictures:,} with another picture, compared nevertheless")
        models = " ".join(one.models) if len(one.models) == 1 else f"{len(one.models)} models"
        role = "" if one.role in USUAL_ROLES else one.role
        name = " ".join(filter(None, [one.benchmark, role, one.setting]))
        yield from _filled(f"{name} ({models}): {'; '.join(parts)}", "  ")
    yield from _more(len(unpaired) - len(unpaired[:most]), "evaluations")


def _tables(report: Report, most: int | None) -> Iterator[str]:
    tables = sorted(report.tables, key=lambda one: (-len(one.changed), one.name))
    if not tables:
        return
    numbers = sum(len(one.changed) for one in tables)
    yield f"Tables: {numbers:,} numbers of {len(tables)} tables changed"
    for one in tables[:most]:
        yield from _filled(f"{one.name}: {_table(one)}", "  ")
        if most is None:
            for number in one.changed:
                yield from _filled(_number(number), "    ")
    yield from _more(len(tables) - len(tables[:most]), "tables")


def _table(one: TableChange) -> str:
    parts = [f"{len(one.changed):,} of {one.numbers:,}"] if one.changed else []
    parts += [f"{number:,} {word}" for number, word in ((one.added, "added"), (one.removed, "removed")) if number]
    most = f"; most: {_number(one.largest)}" if one.changed else ""
    return ", ".join(parts) + most


def _number(one: Number) -> str:
    row = " ".join(text for name, text in one.row if name not in ("name", "source"))
    a, b = ("none" if value is None else f"{value:.6g}" for value in (one.a, one.b))
    return f"{row} {a} -> {b}"


def _origins(origins: Sequence[Origin], most: int | None) -> Iterator[str]:
    if not origins:
        return
    named = [one for one in origins if most is None or one.kind != "code"]
    yield "Made from other parameters, code or inputs (artifacts):"
    for one in named[:most]:
        yield from _filled(f"{one.text} ({one.artifacts})", "  ")
    yield from _more(len(named) - len(named[:most]), "parameters and inputs")
    if code := [one for one in origins if one.kind == "code" and one not in named]:
        # A module that two steps know by different parts of its code has two changes.
        every = (one.text.removeprefix("code of ").partition(":")[0].removeprefix("whatif.") for one in code)
        names = list(dict.fromkeys(every))
        tail = f" and {len(names) - 6} more" if len(names) > 6 else ""
        yield from _filled(f"code of {len(names)} module{'s' * (len(names) > 1)}: {', '.join(names[:6])}{tail}", "  ")


def _one_sided(report: Report, most: int | None) -> Iterator[str]:
    for letter, keys, tables in (
        ("A", report.only_a, report.tables_only_a),
        ("B", report.only_b, report.tables_only_b),
    ):
        models = dict.fromkeys(f"{' '.join((key.model, *key.settings))} ({key.benchmark})" for key in keys)
        if models:
            yield from _filled(f"Evaluations only in {letter}: {_listed(list(models), most)}")
        if tables:
            yield from _filled(f"Tables only in {letter}: {_listed(tables, most)}")


def _listed(texts: Sequence[str], most: int | None) -> str:
    left_out = len(texts) - len(texts[:most])
    return ", ".join(texts[:most]) + (f" and {left_out} more: --all" if left_out else "")


def _notes(notes: Iterable[str]) -> Iterator[str]:
    for note in notes:
        yield from _filled(f"Not compared: {note}")


def _flips(flips: Iterable[Flip]) -> Iterator[str]:
    for one in flips:
        name = " ".join(filter(None, [one.benchmark, one.evaluation, one.variant]))
        yield from _filled(f"{one.direction}  {one.item}  ({name})")
        yield from _filled(one.question, "    ") if one.question else ()
        if one.right:
            yield from _filled(f"right: {one.right}   A: {one.answer_a}   B: {one.answer_b}", "    ")


def _more(number: int, what: str) -> Iterator[str]:
    if number > 0:
        yield f"  and {number:,} more {what}: --all"


def _filled(text: str, indent: str = "") -> list[str]:
    """The text in lines, with unprintable characters escaped: text of a commit must not control the terminal."""
    line = escaped(text)
    if len(indent) + len(line) <= WIDTH and not _SPACE.search(line):
        return [f"{indent}{line}"] if line else []  # as `wrap` does, which takes a hundred times as long
    return textwrap.wrap(line, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
