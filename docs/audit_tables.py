"""The tables of docs/audit.md: released benchmarks and ours, audited and pruned.

`python -m docs.tables` writes the audits where `WHATIF_DATA` names a folder with the released data and the default run
is built. `python -m docs.audit_tables` writes those of pruning, which take some ten minutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from whatif.results.auditing.audit import Finding, How, audit, section_name
from whatif.results.auditing.benchmark import read_benchmark
from whatif.results.auditing.items import Item
from whatif.results.auditing.prune import Pruned, prune
from whatif.results.auditing.report import rule_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/audit.md"
SEED = 2024  # of params.yaml
PRUNED = "pruned benchmarks"
_SYNTHETIC, _REAL = "c-vqa/C-VQA-Synthetic_questions.csv", "c-vqa/C-VQA-Real_questions.csv"
_CAPTIONS = "coco-counterfactuals/metadata.jsonl"
_BESIDE_RELEASED = ("cvqa-synthetic", "cvqa-real")
_ALONE = {"cfmm": "CFMM", "mucr": "MuCR", "scenes": "Scenes"}


def audited(released: Path) -> str | None:
    """A row for each benchmark, variant and kind of answer; None where the default run has not made ours."""
    if not all(_verified(name).is_file() for name in (*_BESIDE_RELEASED, *_ALONE)):
        return None
    rows: list[tuple[str, ...]] = [("benchmark", "questions", "number", "chance", "best rule")]
    for name, items in _benchmarks(released.parents[1]):
        for section in audit(items, How(seed=SEED)).sections:
            best = _best_of(section.findings)
            of = "" if best.n == len(section.items) else f" ({best.n:,} questions)"
            rows.append(
                (
                    name,
                    section_name(section.variant, section.kind),
                    f"{len(section.items):,}",
                    f"{100 * float(section.chances.mean()):.1f}",
                    f"{rule_name(best)}{of}: {_cell(best)}",
                )
            )
    return _markdown(rows, texts=2)


def pruned(released: Path) -> str:
    """A row for each released set of questions: what repairing it by dropping costs."""
    rows: list[tuple[str, ...]] = [("benchmark", "pairs", "kept", "best rule before", "fresh audit", "rounds")]
    for name, path in (("C-VQA-Synthetic, released", _SYNTHETIC), ("C-VQA-Real, released", _REAL)):
        items = read_benchmark(released.parents[1] / path).items
        print(name, flush=True)
        found = prune(items, How(seed=SEED), tell=print)
        units = len({item.unit for item in items})
        left = len({item.unit for item in found.kept})
        share = f"{left:,} ({100 * left / units:.0f}%)"
        rows.append((name, f"{units:,}", share, *_best(found), str(found.rounds)))
    return _markdown(rows, texts=1)


def largest_option(released: Path) -> str:
    """How often the largest option is right in the released C-VQA-Synthetic, for both variants."""
    original, counterfactual = (f"{100 * right / asked:.1f}%" for right, asked in _largest(released))
    return f"{original} of the original questions and in {counterfactual} of the counterfactual ones"


def most_kept(released: Path) -> str:
    """How many pairs can stay if each of the four ranks is right as often as the largest option, for both variants."""
    return " and ".join(f"{4 * right:,}" for right, _ in _largest(released))


def _largest(released: Path) -> Iterator[tuple[int, int]]:
    """How many questions have the largest option as their answer, and how many there are; for both variants."""
    from whatif.formats.c_vqa import read_released
    from whatif.scoring.shortcuts.features import by_rank

    rows = read_released(released)
    for variant in ("original", "counterfactual"):
        asked = [row for row in rows if row["variant"] == variant]
        ranks = Counter(by_rank(row["choices"]).index("ABCD".index(row["answer"])) for row in asked)
        yield ranks[3], len(asked)


def _best_of(findings: Sequence[Finding]) -> Finding:
    """The rule with the largest excess over chance, of those above chance if there are any."""
    rules = [one for one in findings if not one.baseline]
    return max(rules, key=lambda one: (one.above_chance, one.accuracy.estimate - one.chance))


def _best(found: Pruned) -> Iterator[str]:
    """That rule before, and in the fresh audit."""
    for one in (found.before, found.fresh):
        best = _best_of(one.findings)
        where = section_name(best.variant, best.kind)
        yield f"{rule_name(best)}, {where}: {_cell(best)}, chance {100 * best.chance:.1f}"


def _benchmarks(data: Path) -> Iterator[tuple[str, Sequence[Item]]]:
    yield "C-VQA-Synthetic, released", read_benchmark(data / _SYNTHETIC).items
    yield "C-VQA-Synthetic, ours", read_benchmark(_verified("cvqa-synthetic")).items
    yield "C-VQA-Real, released", read_benchmark(data / _REAL).items
    yield "C-VQA-Real, ours", read_benchmark(_verified("cvqa-real")).items
    yield "COCO-Counterfactuals, released", read_benchmark(data / _CAPTIONS).items
    for name, title in _ALONE.items():
        items = read_benchmark(_verified(name)).items
        # MuCR asks the same questions in all forms with images.
        yield f"{title}, ours", [one for one in items if name != "mucr" or one.variant in ("text", "composite")]


def _verified(name: str) -> Path:
    return ROOT / "data/verify" / name / "questions.parquet"


def _cell(one: Finding) -> str:
    text = f"{100 * one.accuracy.estimate:.1f} ({100 * one.accuracy.low:.1f} to {100 * one.accuracy.high:.1f})"
    return f"**{text}**" if one.above_chance else text


def _markdown(rows: Sequence[Sequence[str]], texts: int) -> str:
    rule = "|" + "".join("---|" if place < texts else "--:|" for place in range(len(rows[0])))
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], rule, *lines[1:]])


def main() -> None:
    from docs.tables import released_questions, with_block

    released = released_questions()
    if released is None:
        print("pruned benchmarks: left as they are; WHATIF_DATA names no folder with the released questions")
        return
    content = pruned(released)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_block(text, PRUNED, content), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
