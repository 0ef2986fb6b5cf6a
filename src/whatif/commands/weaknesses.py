"""`whatif weaknesses`: the questions in which a model does worse than elsewhere."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped

if TYPE_CHECKING:
    from whatif.results.comparison.answered import Answered
    from whatif.scoring.weaknesses import Columns

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
    from whatif.results.comparison.answered import answered

    found = list(answered(benchmark, models))
    if not found:
        named = f" of {', '.join(models)}" if models else ""
        raise WhatifError(f"{benchmark}: data/evaluate has no answers{named}; `whatif evaluate {benchmark}` asks")
    listed: list[str] = []
    for one, columns in _with_properties(found):
        text, members = _described(one, columns, 1 - 0.05 / len(found))
        name = escaped(one.name)
        click.echo("\n".join(textwrap.wrap(f"{name}: {text}", 100, subsequent_indent="    ")))
        listed += [f"{name}\t{member}" for member in members]
    if ids is not None:
        write_whole(ids, "".join(f"{line}\n" for line in listed).encode())


def _with_properties(found: Sequence[Answered]) -> Iterator[tuple[Answered, Columns]]:
    """The evaluations with the properties of their questions, which are read once for those of the same questions."""
    import pyarrow as pa

    from whatif.results.comparison.columns import read
    from whatif.scoring.weaknesses import properties

    read_before: dict[int, Columns] = {}
    for one in found:
        if id(one.rows) not in read_before:
            table = pa.concat_tables([read(path, _COLUMNS) for path in one.evaluation.inputs("questions")])
            known = {row["question_id"]: row for row in table.to_pylist()}
            read_before[id(one.rows)] = properties([known[name] for name in one.rows.keys.to_pylist()])
        yield one, read_before[id(one.rows)]


def _described(one: Answered, columns: Columns, confidence: float) -> tuple[str, list[str]]:
    """What is said of an evaluation, and the ids of the questions of the kind."""
    from whatif.scoring.weaknesses import weakness

    wrong = ~one.right
    found = weakness(columns, wrong, one.rows.clusters, confidence)
    if found is None:
        share = f"{100 * wrong.mean():.1f}% of {len(wrong):,}"
        return f"wrong in {share}; no kind of questions is worse than the others", []
    asked = one.rows.keys.to_pylist()
    members = [asked[place] for place in found.members.nonzero()[0]]
    examples = [asked[place] for place in (found.members & wrong).nonzero()[0][:_EXAMPLES]]
    low, high = (f"{100 * end:.0f}" for end in (found.more.low, found.more.high))
    text = (
        f"wrong in {100 * found.wrong.estimate:.1f}% of {found.n:,} where {' and '.join(found.conditions)}, in "
        f"{100 * found.elsewhere.estimate:.1f}% elsewhere (+{100 * found.more.estimate:.0f} points [{low}, {high}]); "
        f"such as {', '.join(examples)}"
    )
    return escaped(text), members
