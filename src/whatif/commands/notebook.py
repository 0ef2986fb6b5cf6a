"""Results and artifacts of a project as data frames, for notebooks and scripts; `import whatif` exports them."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import project_folder
from whatif.engine.files.well_formed import escaped

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from whatif.engine.artifacts.schemas import Table
    from whatif.engine.graph.graph import Graph
    from whatif.engine.graph.steps import Step
    from whatif.scoring.extraction.extracted import Extracted, Kind
    from whatif.scoring.published_extraction.rules import PublishedRules

IMAGES = "images"
_FILES = "files"  # the artifact that stores the text files, which are read as tables


class StaleNumbers(UserWarning):
    """The numbers may not match the current parameters, inputs and code; the message gives the reasons."""


def tables(benchmark: str, root: str | os.PathLike[str] = ".") -> list[str]:
    """The names of the result tables of a benchmark, in the order of its report.

    `root` is the folder of the project, which holds `params.yaml`, or a folder in it. Raises WhatifError when the
    benchmark is not selected there.
    """
    with _project(root):
        return _tables(_graph(benchmark), benchmark)


def load(benchmark: str, what: str, root: str | os.PathLike[str] = ".") -> pd.DataFrame:
    """A result table or the artifacts of a benchmark as a data frame.

    If `what` is the name of a result table (`table7`; see `tables`), the frame is tidy, with one number per cell.
    Identifying columns (`model`, `name`, `source`, `variant`, `measure`, ...) come first and are never missing. They
    are followed by `value`, the ends `low` and `high` of its confidence interval, the number `n` of observations, and
    the p-value `p`, which may be missing (`<NA>`). Shares are in percent, differences in percentage points.

    Otherwise `what` is the name of an artifact (`questions`, `predictions`, `pairs`, `judgements`, ...). The frame then
    has the rows that the last stage made, for all parts and all models, with the columns described in
    `whatif.engine.artifacts.schemas`. `images` has the images that the questions and pairs of the last stage refer to,
    with their encoded bytes.

    Warns (`StaleNumbers`) when `whatif show` would: when parameters, inputs or code have changed since, when a model
    left questions unanswered for a transient reason, or when missing artifacts make a check impossible. Changes the
    working directory while it runs. Raises WhatifError when the benchmark is not selected in `params.yaml`, when it has
    no table or artifact of this name, or when that has not been made yet.
    """
    with _project(root):
        graph = _graph(benchmark)
        artifacts, known = _artifacts(graph, benchmark), _tables(graph, benchmark)
        if what in known:
            found = _table(Path(f"metrics/{benchmark}/{what}.csv"))
        elif what in artifacts:
            found = _images(graph, benchmark) if what == IMAGES else _artifact(graph, benchmark, artifacts[what])
        else:
            raise WhatifError(
                f"{benchmark}: has no {what!r}; its tables are {', '.join(known) or 'none'}, its artifacts "
                f"{', '.join(artifacts)}"
            )
        _warn(graph, benchmark)
    return found


def demo_table(benchmark: str, name: str) -> pd.DataFrame:
    """A result table of the default run, which ships with whatif; the frame is as that of `load`, and needs no project.

    Raises WhatifError when there is no such table.
    """
    from whatif.results.demo.bundle import tables_of
    from whatif.results.reporting.table import from_csv

    found = tables_of(benchmark)
    if name not in found:
        raise WhatifError(f"{benchmark}: the bundled results have no table {name!r}; they have {', '.join(found)}")
    return from_csv(found[name].decode("utf-8"))


def audit_shortcuts(
    questions: pd.DataFrame | Iterable[Mapping[str, Any]] | str | os.PathLike[str],
    *,
    folds: int = 5,
    seed: int = 0,
    confidence: float = 0.95,
    language_model: str | None = None,
    **columns: Any,
) -> pd.DataFrame:
    """How well questions can be answered without their images, as a tidy frame: what `whatif audit` prints.

    `questions` are a file or folder that `whatif audit` reads, or rows in memory; columns are recognised by their names
    (`question`, `choices`, `answer`, `pair_id`, `image_ids`, ...). `columns` names those that are not: `question`,
    `answer`, `options`, `captions` (one name or a list), `picture`, `pair`, `group`, `variant` and `item`.

    For each variant and kind of answer, the frame has the accuracy in percent of the best letter, rank, length and most
    frequent answer, and of a forest and a text model that are cross-validated by image, with intervals by image and the
    accuracy of chance. `language_model` is a checkpoint to fine-tune as well. Raises WhatifError when there are fewer
    images than folds, and when no question can be audited.
    """
    from whatif.formats.benchmark_columns import named_columns
    from whatif.results.auditing.audit import How, audit
    from whatif.results.auditing.benchmark import read_benchmark, read_rows
    from whatif.results.auditing.report import frame

    named = named_columns(columns)
    if isinstance(questions, str | os.PathLike):
        name = os.fspath(questions)
        benchmark = read_benchmark(Path(name), named, seed=seed)
    else:
        name = "questions"
        rows: Any = questions
        benchmark = read_rows(
            name, rows.to_dict("records") if hasattr(rows, "to_dict") else list(rows), named, seed=seed
        )
    model = None
    if language_model is not None:
        from whatif.results.auditing.language_model import language_model as fine_tuned

        model = fine_tuned(language_model)
    return frame({escaped(name): audit(benchmark.items, How(folds, seed, confidence, model))})


def extract_answer(
    response: str,
    kind: Kind,
    question: str,
    choices: Sequence[str] | None = None,
    rules: Literal["whatif"] | PublishedRules = "whatif",
) -> Extracted:
    """The answer that a response gives to a question: its `answer`, or the `status` and `reason` why there is none.

    `kind` is `number`, `boolean`, `choice`, `option text` (a choice whose question showed no letters) or `text`.
    `rules` are ours, or the published ones of `c-vqa`, `vlmevalkit` or `lmms-eval`, which use neither the question nor
    the status `ambiguous`. Raises ValueError for other rules, for a kind that the rules do not support, and for a
    choice without `choices`.
    """
    from whatif.scoring.extraction.answer import extract
    from whatif.scoring.published_extraction.rules import published_answer

    if rules == "whatif":
        return extract(response, kind, question, choices)
    return published_answer(response, kind, choices, rules=rules)


def _project(root: str | os.PathLike[str]) -> contextlib.chdir[Path]:
    """Changes to the folder of the project that contains `root`."""
    return contextlib.chdir(project_folder(Path(root)) or Path(root))


def _graph(benchmark: str) -> Graph:
    from whatif import benchmarks

    graph = benchmarks.graph(benchmarks.load_params())
    if benchmark not in graph.params.benchmarks:
        raise WhatifError(
            f"{benchmark}: not among the benchmarks of params.yaml ({', '.join(graph.params.benchmarks)})"
        )
    return graph


def _tables(graph: Graph, benchmark: str) -> list[str]:
    """The names of text files that exist both as numbers (`.csv`) and as a formatted table (`.md`)."""
    files = [path for step in graph.benchmarks[benchmark].steps for path in step.published(graph.params)]
    stems = {suffix: [Path(path).stem for path in files if path.endswith(suffix)] for suffix in (".csv", ".md")}
    return [stem for stem in stems[".csv"] if stem in stems[".md"]]


def _artifacts(graph: Graph, benchmark: str) -> dict[str, Table]:
    """The tables of artifacts by name, in the order of the steps."""
    steps = graph.benchmarks[benchmark].steps
    found = {table.name: table for step in steps for table in step.outputs.values()}
    return {name: table for name, table in found.items() if name != _FILES}


def _table(path: Path) -> pd.DataFrame:
    from whatif.results.reporting.table import from_csv

    if not path.is_file():
        raise WhatifError(f"{path}: not made yet; `dvc repro` or `snakemake --cores 2` makes it")
    return from_csv(path.read_text(encoding="utf-8"))


def _artifact(graph: Graph, benchmark: str, table: Table) -> pd.DataFrame:
    return _frame(_rows(_last(graph, benchmark, table), table))


def _last(graph: Graph, benchmark: str, table: Table) -> list[Path]:
    """The artifacts of a table that are made by the last stage that has this table.

    Where the main step of that stage reads the table of another step of it, the rows of the other are in those of the
    main step, or were rejected, so they are left out.
    """
    steps = [step for step in graph.benchmarks[benchmark].steps if table in step.outputs.values()]
    steps = [step for step in steps if step.stage == steps[-1].stage]
    inputs = [one for step in steps if not step.name for one in step.inputs.values()]
    read = {one.step for one in inputs if one.stage == steps[-1].stage and one.table == table and not one.benchmark}
    return _paths(graph, benchmark, table, [step for step in steps if step.name not in read])


def _paths(graph: Graph, benchmark: str, table: Table, steps: Iterable[Step]) -> list[Path]:
    names = {(step.stage, step.name) for step in steps}
    return [
        path
        for job in graph.jobs
        if job.step.benchmark == benchmark and (job.step.stage, job.step.name) in names
        for role, path in job.outputs.items()
        if job.step.outputs[role] == table
    ]


def _rows(paths: Sequence[Path], table: Table, columns: Sequence[str] | None = None) -> pa.Table:
    from whatif.engine import artifacts

    return artifacts.read(paths, table, columns)


def _images(graph: Graph, benchmark: str) -> pd.DataFrame:
    """The images that the questions and pairs of the last stage refer to, each once, sorted by id."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from whatif.engine import artifacts
    from whatif.engine.artifacts.schemas import IMAGES as TABLE
    from whatif.engine.artifacts.schemas import PAIRS, QUESTIONS

    made = _artifacts(graph, benchmark)
    wanted: set[str] = set()
    if QUESTIONS.name in made:
        of_questions = _rows(_last(graph, benchmark, QUESTIONS), QUESTIONS, ["image_ids"])
        wanted.update(pc.list_flatten(of_questions["image_ids"]).to_pylist())
    if PAIRS.name in made:
        of_pairs = _rows(_last(graph, benchmark, PAIRS), PAIRS, ["image_id_0", "image_id_1"])
        wanted.update(text for column in of_pairs.columns for text in column.to_pylist())
    found: dict[str, pa.Table] = {}
    ids = pa.array(sorted(wanted), pa.string())
    steps = graph.benchmarks[benchmark].steps
    for piece in artifacts.batches(_paths(graph, benchmark, TABLE, steps), TABLE):
        chosen = piece.filter(pc.is_in(piece["image_id"], ids))
        for row, image in enumerate(chosen["image_id"].to_pylist()):
            found.setdefault(image, chosen.slice(row, 1))
    pieces = [found[image] for image in sorted(found)]
    return _frame(pa.concat_tables(pieces) if pieces else TABLE.schema.empty_table())


def _frame(rows: pa.Table) -> pd.DataFrame:
    """Rows as a data frame with nullable types; lists and structs become Python objects."""
    import pandas as pd
    import pyarrow as pa

    kinds = {
        pa.bool_(): pd.BooleanDtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.float64(): pd.Float64Dtype(),
    }
    frame: pd.DataFrame = rows.to_pandas(types_mapper=kinds.get)
    for column in rows.schema:
        if pa.types.is_nested(column.type):
            frame[column.name] = pd.Series(rows[column.name].to_pylist(), index=frame.index, dtype="object")
    return frame


def _warn(graph: Graph, benchmark: str) -> None:
    from whatif.engine.graph.staleness import remarks

    if notes := remarks(graph, benchmark):
        warnings.warn("\n".join([f"{benchmark}:", *notes]), StaleNumbers, stacklevel=3)
