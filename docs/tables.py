"""The numbers in README.md and docs/ that come from files: `python -m docs.tables` writes them, a test compares them.

On a page, a number or a table stands between two comments that Markdown does not show:

    <!-- table7 -->
    | Model | ...
    <!-- /table7 -->

`NUMBERS` says what belongs there. Some tables are about released data, which are not in the project: they are
written where `WHATIF_DATA` names a folder that has it. Those of docs/statistics.md come from simulations:
`python -m tests.statistics.coverage` and `python -m tests.statistics.annotator_simulation` write them. The table of
pruned benchmarks takes ten minutes: `python -m docs.audit_tables` writes it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from docs.audit_tables import PRUNED, audited
from whatif.contradictions import Verdict
from whatif.reporting.numerals import decimal
from whatif.reporting.rendering import grid
from whatif.reporting.table import Column, View, from_csv
from whatif.reporting.twin_rows import ACCURACIES, DIFFERENCE, MCNEMAR, PAIRS

ROOT = Path(__file__).parents[1]
SIMULATED = (
    *("coverage", "coverage of other designs", "coverage of independent questions"),
    *("rejections", "random annotators"),
    "hostile programs",
    PRUNED,
)
_PUZZLES = "metrics/cvqa-synthetic"
QUESTIONS_FILE = ROOT / "data/verify/cvqa-synthetic/questions.parquet"
_RELEASED_PAGE = "docs/cvqa-synthetic.md"


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def names(text: str) -> list[str]:
    """The names of all blocks of a page. Raises ValueError when one is not closed before the next is opened."""
    opened = re.findall(r"<!-- (\w[\w ,-]*) -->", text)
    closed = re.findall(r"<!-- /(\w[\w ,-]*) -->", text)
    if opened != closed:
        raise ValueError(f"blocks are opened as {opened} and closed as {closed}: each is closed before the next")
    return opened


def with_block(text: str, name: str, content: str) -> str:
    """The page with `content` in every block of this name: on lines of its own where it has several lines.

    Raises ValueError when the page has no such block.
    """
    shown = f"\n{content}\n" if "\n" in content else content
    made, number = re.subn(
        rf"(<!-- {re.escape(name)} -->).*?(<!-- /{re.escape(name)} -->)",
        lambda match: f"{match[1]}{shown}{match[2]}",
        text,
        flags=re.DOTALL,
    )
    if not number:
        raise ValueError(f"the page has no block `{name}`")
    return made


def updated(text: str) -> str:
    """The page with all numbers as the files of the project have them now.

    Raises ValueError for a block that nothing is known of.
    """
    for name in dict.fromkeys(names(text)):
        if name in NUMBERS:
            text = with_block(text, name, NUMBERS[name]())
        elif name not in RELEASED and name not in SIMULATED:
            raise ValueError(f"block `{name}` is not known: add it to docs/tables.py")
    return text


def with_released(text: str, released: Path) -> str:
    """The page with the tables that are about released data made again; some minutes."""
    for name in (name for name in names(text) if name in RELEASED):
        content = RELEASED[name](released)
        text = text if content is None else with_block(text, name, content)
    return text


def released_questions() -> Path | None:
    folder = os.environ.get("WHATIF_DATA")
    path = Path(folder) / "c-vqa" / "C-VQA-Synthetic_questions.csv" if folder else None
    return path if path and path.is_file() else None


def _table7() -> str:
    """README's Table 7: without the intervals of both accuracies."""
    view = View(
        "",
        {"model": "", "name": "Model", "source": "From"},
        (PAIRS, *(replace(column, interval=False) for column in ACCURACIES), DIFFERENCE, MCNEMAR),
    )
    cells = grid(view, _frame("table7"))
    return _markdown([cells.header, *cells.rows], cells.texts)


def _table4() -> str:
    """The first row of COCO-Counterfactuals' Table 4: reported, and recomputed from the released predictions."""
    frame = _frame("table4", "metrics/coco-counterfactuals-training")
    rows = frame[(frame["mixture"] == "pre-trained") & frame["source"].isin(("reported", "recomputed"))]
    sets = dict.fromkeys(rows[rows["source"] == "reported"]["data_set"])
    view = View(
        "",
        {"model": "", "name": "Model", "source": "From"},
        tuple(Column(one[0].upper() + one[1:], "accuracy", {"data_set": one}, write=decimal(2)) for one in sets),
    )
    cells = grid(view, rows)
    return _markdown([cells.header, *cells.rows], cells.texts)


def _shortcuts() -> str:
    """The audit of our set, a row a variant."""
    return _audit_table(_frame("shortcuts"), "ours")


def _released_shortcuts(released: Path) -> str:
    from whatif import benchmarks
    from whatif.benchmarks.cvqa_synthetic.settings import CvqaSyntheticSettings
    from whatif.formats.c_vqa import read_released
    from whatif.reporting.shortcuts import shortcuts
    from whatif.shortcuts.audit import audit

    params = benchmarks.load_params(ROOT / "params.yaml")
    settings = params.section("cvqa-synthetic", CvqaSyntheticSettings).aggregate
    found = audit(read_released(released), folds=settings.audit_folds, seed=params.seed)
    return _audit_table(shortcuts({"released": found}, settings.confidence).frame, "released")


def _compared(released: Path) -> str | None:
    """Our questions beside the released ones; None where the default run has not made ours."""
    from whatif import artifacts
    from whatif.artifacts.schemas import QUESTIONS
    from whatif.formats.c_vqa import read_released
    from whatif.statistics.question_sets import ALL, compare_markdown, summary

    if not QUESTIONS_FILE.is_file():
        return None
    ours, theirs = summary(artifacts.read(QUESTIONS_FILE, QUESTIONS).to_pylist()), summary(read_released(released))
    _, table = compare_markdown({ALL: ours[ALL]}, {ALL: theirs[ALL]}).strip().split("\n\n", 1)
    return table


def _of_released_table(row: int, column: int) -> str:
    """A percentage of the released set's audit as it stands in its table: README repeats two of them."""
    text = (ROOT / _RELEASED_PAGE).read_text(encoding="utf-8")
    block = re.search(r"<!-- released shortcuts -->\n(.*?)\n<!-- /", text, flags=re.DOTALL)
    if not block:
        raise ValueError(f"{_RELEASED_PAGE} has no block `released shortcuts`")
    cell = block[1].split("\n")[2 + row].split("|")[1 + column]
    return cell.split("(")[0].strip() + "%"


def _measured(model: str, *keys: str) -> float:
    """A number that `whatif assess` stored with an embedded checkpoint; of a share, the share itself."""
    found = _json(f"src/whatif/embedded/checkpoints/{model}/accuracy.json")
    for key in keys:
        found = found[key]
    return float(found["accuracy"] if isinstance(found, dict) else found)


def _share(model: str, *keys: str) -> Callable[[], str]:
    return lambda: f"{100 * _measured(model, *keys):.0f}%"


def _exact_share(model: str, *keys: str) -> Callable[[], str]:
    """With one decimal, where a whole percentage would round a fault away."""
    return lambda: f"{100 * _measured(model, *keys):.1f}%"


def _regions() -> str:
    """From the hardest to the easiest of the flower puzzles."""
    groups = ("flower-recolour", "flower-removal", "flower-removal-other")
    shares = [_measured("llava-original", "free answers", "original", group) for group in groups]
    return f"{100 * min(shares):.0f}% to {100 * max(shares):.0f}%"


def _movement() -> str:
    """How things move in pairs of the embedded diffusion pipeline, a row a way of making them."""
    rows = [
        ("pairs", "both nouns right", "moved less than a tenth of the side", "median shift", "median change of area")
    ]
    for way, found in _json("src/whatif/embedded/checkpoints/diffusion/accuracy.json")["movement"].items():
        shares = [found[name]["accuracy"] for name in ("both_nouns_right", "moved_less_than_a_tenth_of_the_side")]
        sizes = [found[name] for name in ("median_shift_in_sides", "median_change_of_area")]
        rows.append(
            (way.replace("_", " "), *(f"{100 * each:.0f}%" for each in shares), *(f"{100 * x:.1f}%" for x in sizes))
        )
    return _markdown(rows, text_columns=1)


_OF_CATEGORIES = ("llava-scenes", "llava-presuppositions")


def _categories() -> str:
    """Accuracies of embedded LLaVAs in CFMM's categories, for basic and for counterfactual questions."""
    found = {
        model: _json(f"src/whatif/embedded/checkpoints/{model}/accuracy.json")["two options"]
        for model in _OF_CATEGORIES
    }
    kinds = ("basic", "counterfactual")
    rows = [("category", *(f"`{model}`, {kind}" for model in found for kind in kinds))]
    for category in found[_OF_CATEGORIES[0]]:
        shares = [of_model[category][kind]["accuracy"] for of_model in found.values() for kind in kinds]
        rows.append((category, *(f"{100 * share:.0f}%" for share in shares)))
    return _markdown(rows, text_columns=1)


def _detector() -> str:
    """The shares of the embedded detector by kind of query, without those that mostly find nothing."""
    found = _json("src/whatif/embedded/checkpoints/owlv2/accuracy.json")["scenes"]
    names = ("count", "precision", "recall")
    rows = [("query", "count right", "boxes that are right", "things that are found")]
    for kind, shares in found.items():
        if set(names) <= shares.keys():
            rows.append((kind, *(f"{100 * shares[name]['accuracy']:.1f}%" for name in names)))
    return _markdown(rows, text_columns=1)


def _in_puzzles(subject: str) -> Callable[[], str]:
    """How many things of its subject the embedded detector finds in a puzzle, and how many there are."""

    def shown() -> str:
        found = _measured("owlv2", "puzzles", subject, subject.removesuffix("s"), "found on average")
        return f"{found:.1f} of {_measured('owlv2', 'puzzles', subject, 'there on average'):.1f}"

    return shown


def _worst_nouns() -> str:
    """The three nouns that the embedded diffusion pipeline draws worst, with the share of right things."""
    nouns = _json("src/whatif/embedded/checkpoints/diffusion/accuracy.json")["nouns"]
    worst = sorted(nouns, key=lambda noun: (nouns[noun]["accuracy"], noun))[:3]
    return ", ".join(f"`{noun}` ({100 * nouns[noun]['accuracy']:.0f}% of {nouns[noun]['n']})" for noun in worst)


def _frame(table: str, folder: str = _PUZZLES) -> pd.DataFrame:
    return from_csv((ROOT / folder / f"{table}.csv").read_text(encoding="utf-8"))


def _json(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def _pairs() -> int:
    frame = _frame("table7")
    [pairs] = frame[(frame["model"] == "random") & (frame["measure"] == "difference")]["n"]
    return int(pairs)


def _audit_table(frame: pd.DataFrame, name: str) -> str:
    """The audit of a set, a row a variant."""
    columns = (("best letter", "letter"), ("best rank", "rank"), ("random forest", "forest"))
    view = View(
        "",
        {"variant": "variant"},
        tuple(Column(heading, "accuracy", {"rule": rule}, interval=True) for heading, rule in columns),
    )
    cells = grid(view, frame[frame["set"] == name])
    return _markdown([cells.header, *cells.rows], cells.texts)


def _markdown(rows: Sequence[Sequence[str]], text_columns: int) -> str:
    rule = "|" + "".join("---|" if place < text_columns else "--:|" for place in range(len(rows[0])))
    lines = ["| " + " | ".join(cell.replace("<", r"\<") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], rule, *(re.sub(r"  +", " ", line) for line in lines[1:])])


def _claims() -> str:
    """How many claims about reported numbers there are by paper and verdict."""
    from whatif.benchmarks import contradictions
    from whatif.contradictions import VERDICTS
    from whatif.contradictions.report import by_paper
    from whatif.contradictions.rows import by_verdict

    rows = contradictions.rows()
    table = [("paper", "claims", *VERDICTS)]
    for paper, of_paper in [*by_paper(rows).items(), ("all", rows)]:
        table.append((paper, *(f"{number:,}" for number in (len(of_paper), *by_verdict(of_paper).values()))))
    return _markdown(table, text_columns=1)


def _number_of_claims(verdict: Verdict | None = None, kind: str | None = None) -> Callable[[], str]:
    """The number of claims with a verdict, and of a kind."""

    def shown() -> str:
        from whatif.benchmarks import contradictions

        rows = contradictions.rows()
        return f"{sum(verdict in (None, row.verdict) and kind in (None, row.kind) for row in rows):,}"

    return shown


_ANSWERS = ("free answers", "original")
NUMBERS: dict[str, Callable[[], str]] = {
    "table4": _table4,
    "table7": _table7,
    "pairs": lambda: f"{_pairs():,}",
    "questions": lambda: f"{2 * _pairs():,}",
    "shortcuts": _shortcuts,
    "second smallest": lambda: _of_released_table(row=0, column=2),
    "forest": lambda: _of_released_table(row=0, column=3),
    "second smallest, counterfactual": lambda: _of_released_table(row=1, column=2),
    "forest, counterfactual": lambda: _of_released_table(row=1, column=3),
    "writer, numbers": _exact_share("writer", "direct", "right"),
    "writer, yes or no": _exact_share("writer", "boolean", "right"),
    "all dots": _share("llava-original", *_ANSWERS, "dot-removal"),
    "top row": _share("llava-original", *_ANSWERS, "dot-columns"),
    "fullest circle": _share("llava-original", *_ANSWERS, "dot-maximum"),
    "regions": _regions,
    "numbers in scenes": _share("llava-original", "free answers", "scenes", "number"),
    "yes or no": _share("llava-original", "free answers", "scenes", "yes/no"),
    "edits": _share("vilt", "edits", "one and pair", "all", "picture"),
    "drawn": _share("diffusion", "captions", "all"),
    "movement": _movement,
    "categories": _categories,
    "detector": _detector,
    "detector, changed": _exact_share("owlv2", "scenes", "other colour and noun", "count"),
    "detector, least score": lambda: f"{_measured('owlv2', 'least score'):g}",
    "detector, halves": _exact_share("owlv2", "crops", "half of a scene"),
    "detector, crops": _exact_share("owlv2", "crops", "around a thing"),
    "detector, flowers": _in_puzzles("flowers"),
    "detector, dots": _in_puzzles("dots"),
    "worst nouns": _worst_nouns,
    "claims": _number_of_claims(),
    "claims that do not hold": _number_of_claims("does not hold"),
    "possible percentages": _number_of_claims(kind="possible percentage"),
    "impossible percentages": _number_of_claims("does not hold", "possible percentage"),
    "claims by verdict": _claims,
    "less change": lambda: f"{_measured('diffusion', 'noun_swaps', 'times_less_than_with_another_seed'):.0f}",
}
RELEASED: dict[str, Callable[[Path], str | None]] = {
    "released shortcuts": _released_shortcuts,
    "compared": _compared,
    "audited benchmarks": audited,
}


def main() -> None:
    released = released_questions()
    if released:
        _write(lambda text: with_released(text, released))
    else:
        print("tables of the released C-VQA-Synthetic: left as they are; WHATIF_DATA names no folder that has it")
    if released and not QUESTIONS_FILE.is_file():
        print(f"comparison with the released set: left as it is; {QUESTIONS_FILE.relative_to(ROOT)} is not there")
    _write(updated)


def _write(make: Callable[[str], str]) -> None:
    for page in pages():
        text = page.read_text(encoding="utf-8")
        made = make(text)
        if made != text:
            page.write_text(made, encoding="utf-8")
            print(f"{page.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
