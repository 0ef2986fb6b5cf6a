"""What an audit found as a tidy frame, a table, sentences and a file of scores."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.csv_writing import frame_for_people
from whatif.results.auditing.audit import LANGUAGE, Audit, Finding, score_rows, section_name
from whatif.results.auditing.fixed_rules import LENGTH, LETTER, MAJORITY, RANK
from whatif.results.auditing.forest import FOREST
from whatif.results.auditing.items import CHOICE, Item
from whatif.results.auditing.prune import Pruned, costs
from whatif.results.auditing.text_model import TEXT

if TYPE_CHECKING:
    import pandas as pd

    from whatif.results.reporting.table import Table

_NAMES = {
    LETTER: "always the letter {choice}",
    RANK: "always option {choice} from below",
    LENGTH: "always the {choice} option",
    FOREST: "random forest",
    TEXT: "TF-IDF linear model",
    LANGUAGE: "fine-tuned language model",
}
SCORES = (".csv", ".parquet")
METHOD = (
    "Letter, rank, length and the most frequent answer are the best in hindsight. The models see only text and are "
    "cross-validated: all questions about a picture or of a pair are in one fold. Intervals are by picture or pair. "
    "For numbers and open answers, chance is the share of the most frequent answer. A rule counts only questions to "
    "which it applies. Above chance means beyond the luck of choosing the best letter and the like (Bonferroni) "
    "and of what the models of several folds have in common (Nadeau and Bengio)."
)


def rule_name(finding: Finding) -> str:
    """A rule in words."""
    if finding.rule == MAJORITY:
        return f"always “{finding.choice}”" if finding.kind != CHOICE else "the usually right option"
    return _NAMES[finding.rule].format(choice=finding.choice)


def frame(audits: Mapping[str, Audit]) -> pd.DataFrame:
    """The findings in percent, one row for each set, section and rule."""
    from whatif.results.reporting.precision import percent
    from whatif.results.reporting.table import tidy

    rows = [
        {
            "set": name,
            "variant": one.variant,
            "kind": one.kind,
            "rule": one.rule,
            "choice": one.choice,
            "shortcut": rule_name(one),
            "measure": "accuracy",
            "value": percent(one.accuracy.estimate),
            "low": percent(one.accuracy.low),
            "high": percent(one.accuracy.high),
            "n": one.n,
            "chance": percent(one.chance),
        }
        for name, found in audits.items()
        for one in found.findings
    ]
    identity = ("set", "variant", "kind", "rule", "choice", "shortcut", "measure")
    return tidy(rows, identity, ("value", "low", "high", "n", "chance"))


def table(audits: Mapping[str, Audit], confidence: float) -> Table:
    """The findings as a table; columns that are the same everywhere are left out."""
    from whatif.results.reporting.table import Column, Table, View

    made = frame(audits)
    shown = {"set": "Set", "variant": "Variant", "kind": "Kind"}
    headings = {name: heading for name, heading in shown.items() if made[name].nunique() > 1}
    if len(audits) == 1 and "variant" not in headings and made["variant"].iloc[0]:
        headings["variant"] = "Variant"
    view = View(
        f"Questions answered correctly without the image, in percent, with {100 * confidence:g}% intervals.",
        {**{name: headings.get(name, "") for name in shown}, "shortcut": "Shortcut"},
        (
            Column("Questions", "accuracy", number="n"),
            Column("Correct", "accuracy", interval=True),
            Column("Chance", "accuracy", number="chance"),
        ),
        METHOD,
    )
    return Table("audit", "Shortcut audit", made, (view,))


def verdict(found: Audit) -> str:
    """Up to two sentences: how many rules are above chance, and the best one."""
    rules = [one for one in found.findings if not one.baseline]
    above = [one for one in rules if one.above_chance]
    if not above:
        return f"None of {len(rules)} rules is above chance."
    best = max(above, key=lambda one: one.accuracy.estimate - one.chance)
    where = section_name(best.variant, best.kind)
    return (
        f"{len(above)} of {len(rules)} rules are above chance. The best: {rule_name(best)}, right for "
        f"{100 * best.accuracy.estimate:.1f}% of {best.n:,} {where} questions (chance {100 * best.chance:.1f}%)."
    )


def luck(found: Audit, confidence: float) -> str:
    """How many rules would be above chance by luck alone, in a sentence."""
    rules = len([one for one in found.findings if not one.baseline])
    expected = rules * (1 - confidence) / 2
    return f"By luck alone, up to {expected:.1f} of {rules} rules would be above chance at {100 * confidence:g}%."


def pruning_lines(items: Sequence[Item], pruned: Pruned) -> Iterator[str]:
    """What pruning did and what it costs."""
    units = [{item.unit for item in some} for some in (items, pruned.kept)]
    if not pruned.dropped:
        if pruned.stopped:
            yield f"Nothing was dropped: {pruned.stopped}."
        else:
            yield "Nothing had to be dropped: no rule is above chance."
        return
    yield (
        f"Dropped {len(pruned.dropped):,} of {len(units[0]):,} pairs or single items in {pruned.rounds} rounds: "
        f"{len(pruned.kept):,} of {len(items):,} questions are left ({100 * len(pruned.kept) / len(items):.1f}%)."
    )
    for (group, variant), (was, now) in costs(items, pruned.kept).items():
        named = " ".join(filter(None, [group, variant])) or "all"
        yield f"  {named}: {now:,} of {was:,} left ({100 * now / was:.1f}%)"
    if pruned.stopped:
        yield f"Pruning stopped before every rule was at chance: {pruned.stopped}."
    bad = [one for one in pruned.fresh.findings if one.above_chance]
    known = len([one for one in pruned.fresh.findings if not one.baseline])
    yield (
        "A fresh audit with folds that pruning never used "
        + (
            "finds no rule above chance."
            if not bad
            else f"finds {len(bad)} of {known} rules above chance, up to "
            + max(f"{100 * one.accuracy.estimate:.1f}% (chance {100 * one.chance:.1f}%)" for one in bad)
            + "."
        )
    )
    below = [one for one in pruned.fresh.findings if not one.holds_chance and not one.above_chance]
    if below:
        yield (
            f"{len(below)} rules are below chance there: what they learn from some folds is wrong in the others, "
            "because the items that bear it out were dropped."
        )
    yield (
        "Pruning selects: what is left is harder to guess for these rules, not for every model, and no longer a sample "
        "of the benchmark. Publish the list of the dropped, and make a new set where many are dropped."
    )


def pruning_rows(pruned: Pruned) -> list[dict[str, str]]:
    """Each rule before pruning, after it and in the fresh audit, as text."""
    later = [
        {(one.variant, one.kind, one.rule): one for one in found.findings} for found in (pruned.after, pruned.fresh)
    ]
    return [
        {
            "section": section_name(one.variant, one.kind),
            "rule": rule_name(one),
            "before": _accuracy(one),
            "after": _accuracy(later[0].get((one.variant, one.kind, one.rule))),
            "fresh": _accuracy(later[1].get((one.variant, one.kind, one.rule))),
        }
        for one in pruned.before.findings
    ]


def _accuracy(one: Finding | None) -> str:
    if one is None:
        return ""
    mark = " above chance" if one.above_chance else ""
    return f"{100 * one.accuracy.estimate:.1f} ({100 * one.accuracy.low:.1f} to {100 * one.accuracy.high:.1f}){mark}"


def check_scores(path: Path) -> None:
    """Raises WhatifError unless scores can be written to a file of this name."""
    if path.suffix.lower() not in SCORES:
        raise WhatifError(f"--scores {path}: must end in {' or '.join(SCORES)}")


def write_scores(found: Audit, path: Path) -> None:
    """Writes a row for each item, in the order of the input; shares are fractions. See `check_scores`."""
    write_rows(list(score_rows(found)), path)


def write_rows(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Writes rows as CSV or Parquet; the same rows give the same bytes."""
    check_scores(path)
    import pandas as pd

    made = pd.DataFrame(rows)
    if path.suffix.lower() == ".csv":
        write_whole(path, frame_for_people(made, float_format="%.4f").encode())
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(made, preserve_index=False).replace_schema_metadata(None), out)
    write_whole(path, out.getvalue())


def dropped_rows(pruned: Pruned, items: Sequence[Item]) -> list[dict[str, Any]]:
    """A row for each dropped item, in the order in which they were dropped."""
    of_unit: dict[str, list[Item]] = {}
    for item in items:
        of_unit.setdefault(item.unit, []).append(item)
    return [
        {
            "row": item.row + 1,
            "item_id": item.item_id,
            "unit": one.unit,
            "variant": item.variant,
            "group": item.group,
            "round": one.round,
            "excess": one.excess,
            "rules": ",".join(one.rules),
        }
        for one in pruned.dropped
        for item in of_unit[one.unit]
    ]
