"""`whatif weaknesses`: the questions in which a model does worse than elsewhere."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped

if TYPE_CHECKING:
    from whatif.results.comparison.evaluations import Evaluation

_COLUMNS = ("question_id", "question", "choices", "group", "variant", "answer_kind", "image_ids")
_EXAMPLES = 3


@click.command()
@click.argument("benchmark")
@click.option("--model", "models", multiple=True, help="Only this model; repeat it for several.")
@click.option(
    "--ids", type=click.Path(path_type=Path, dir_okay=False), help="Write the ids of all found questions here."
)
def weaknesses(benchmark: str, *, models: tuple[str, ...], ids: Path | None) -> None:
    """Show for each model the kind of questions that it gets wrong more often than the others.

    A kind is what one or two properties of a question say: its group and variant, the number of its words, of the words
    of its presupposition, of its options and images. It is found on half of the images, and shown only if the other
    half agrees (95% interval of the difference, by image, corrected for the number of models).

    \b
    whatif weaknesses cvqa-synthetic
    whatif weaknesses cfmm --model llava-scenes --ids wrong-kind.txt
    """
    from whatif.engine.files.atomic import write_whole
    from whatif.results.comparison.evaluations import PREDICTIONS, evaluations
    from whatif.results.comparison.runs import of_folder
    from whatif.results.comparison.sides import HERE

    every = evaluations(of_folder(Path(), HERE), (benchmark,), models)
    found = {key: one for key, one in every.items() if one.kind == PREDICTIONS}
    if not found:
        named = f" of {', '.join(models)}" if models else ""
        raise WhatifError(f"{benchmark}: data/evaluate has no answers{named}; `whatif evaluate {benchmark}` asks")
    listed: list[str] = []
    for key, evaluation in found.items():
        name = escaped(" ".join((key.model, *key.settings)))
        lines, members = _described(evaluation, 1 - 0.05 / len(found))
        click.echo("\n".join(textwrap.wrap(f"{name}: {lines}", 100, subsequent_indent="    ")))
        listed += [f"{name}\t{one}" for one in members]
    if ids is not None:
        write_whole(ids, "".join(f"{line}\n" for line in listed).encode())


def _described(evaluation: Evaluation, confidence: float) -> tuple[str, list[str]]:
    """What is said of an evaluation, and the ids of the questions of the kind."""
    from whatif.results.comparison.rows import Reader, right_of
    from whatif.scoring.weaknesses import weakness

    rows, wrong = Reader().rows(evaluation), ~right_of(evaluation)
    columns, asked = _properties(evaluation, rows.keys.to_pylist())
    found = weakness(columns, wrong, rows.clusters, confidence)
    if found is None:
        return (
            f"wrong in {100 * wrong.mean():.1f}% of {len(wrong):,}; no kind of questions is worse than the others",
            [],
        )
    members = [asked[place] for place in found.members.nonzero()[0]]
    wrong_ones = [asked[place] for place in (found.members & wrong).nonzero()[0]]
    low, high = (f"{100 * end:.0f}" for end in (found.more.low, found.more.high))
    text = (
        f"wrong in {100 * found.wrong.estimate:.1f}% of {found.n:,} where {' and '.join(found.conditions)}, in "
        f"{100 * found.elsewhere.estimate:.1f}% elsewhere (+{100 * found.more.estimate:.0f} points [{low}, {high}]); "
        f"such as {', '.join(wrong_ones[:_EXAMPLES])}"
    )
    return escaped(text), members


def _properties(evaluation: Evaluation, asked: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The properties of the questions by name, in the order of the answers; and their ids."""
    import numpy as np
    import pyarrow as pa

    from whatif.engine.language.if_clauses import if_clause
    from whatif.results.comparison.columns import read

    table = pa.concat_tables([read(path, _COLUMNS) for path in evaluation.inputs("questions")])
    known = {row["question_id"]: row for row in table.to_pylist()}
    rows = [known[name] for name in asked]

    def numbers(values: Iterator[int]) -> Any:
        return np.fromiter(values, dtype=np.int64, count=len(rows))

    columns = {name: np.array([str(row[name]) for row in rows]) for name in ("group", "variant", "answer_kind")}
    return {
        "group": columns["group"],
        "variant": columns["variant"],
        "kind of answer": columns["answer_kind"],
        "words": numbers(len(row["question"].split()) for row in rows),
        "words of the presupposition": numbers(len((if_clause(row["question"]) or "").split()) for row in rows),
        "options": numbers(len(row["choices"] or ()) for row in rows),
        "images": numbers(len(row["image_ids"] or ()) for row in rows),
    }, asked
