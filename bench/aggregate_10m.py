"""Ten million predictions of pairs of questions to metrics and tables, beside pandas with accuracies alone.

The peer gives the accuracies by all sets of rules, as ours does; each different response is read once. The further peer
gives those of `correct` alone, so that it reads neither responses nor rules.

Made up are 20 models on 250,000 pairs in six templates, half of them ranking four options, half answering in words, in
four shards each. Timed is what the step `aggregate` of cvqa-synthetic makes of all predictions: every number and table,
in each form. The shortcut audit, which reads questions alone, and the items of the site are not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.engine.artifacts.schemas import OPTION_SCORE, PREDICTIONS, QUESTIONS
from whatif.engine.artifacts.writer import ArtifactWriter

ROOT = Path(__file__).parents[1]
SMALL = {"_MODELS": 2, "_PAIRS": 600, "_LIMIT_SECONDS": 60.0}
_MODELS = 20
_PAIRS = 250_000
_SHARDS = 4
_BLOCK = 50_000  # pairs that are made up at once
_LIMIT_SECONDS = 30.0
_LIMIT_BYTES = 1 << 30
_STATUSES = ("ok", "ambiguous", "none", "error")


def measure() -> dict[str, Any]:
    """Seconds and the largest resident memory of one process each, once the files are written."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        right = write(Path(folder), _MODELS, _PAIRS)
        written = time.process_time() - started
        ours, peer, bare = (_child(Path(folder), what) for what in ("ours", "pandas", "bare"))
    expected = [round(100 * share, 4) for share in right]
    assert ours["accuracies"] == expected, (ours["accuracies"], expected)
    for other in (peer, bare):
        assert np.allclose(other["accuracies"], expected, atol=1e-4), (other["accuracies"], expected)
    assert ours["bytes"] < _LIMIT_BYTES, f"{ours['bytes'] / 2**30:.1f} GiB"
    # Of the processor, which does not depend on what else the machine does.
    assert ours["cpu_seconds"] < _LIMIT_SECONDS, f"{ours['cpu_seconds']:.0f} s of at most {_LIMIT_SECONDS:.0f}"
    return {
        "name": "aggregate-10m",
        "ours": ours["seconds"],
        "ours_cpu_seconds": ours["cpu_seconds"],
        "ours_gib": ours["bytes"] / 2**30,
        "predictions": 2 * _MODELS * _PAIRS,
        "writing_cpu_seconds": written,
        "peer": peer["seconds"],
        "peer_cpu_seconds": peer["cpu_seconds"],
        "peer_gib": peer["bytes"] / 2**30,
        "unit": "s",
        "ratio": peer["seconds"] / ours["seconds"],
        "peer_name": "pandas: read, merge with the questions, mean by model, template and variant, by all rules",
        "further_peers": {"pandas, without the published rules": bare["seconds"]},
    }


def write(folder: Path, models: int, pairs: int) -> list[float]:
    """Writes questions and predictions; returns the share of right originals of each model."""
    blocks = [range(start, min(start + _BLOCK, pairs)) for start in range(0, pairs, _BLOCK)]
    with ArtifactWriter(folder / "questions.parquet", QUESTIONS) as writer:
        for block in blocks:
            writer.write(_questions(block))
    shares = []
    for model in range(models):
        generator = np.random.default_rng(model)
        right = 0
        for shard in range(_SHARDS):
            path = folder / f"model-{model:02d}" / f"part-{shard:03d}-of-{_SHARDS:03d}.parquet"
            first, last = pairs * shard // _SHARDS, pairs * (shard + 1) // _SHARDS
            with ArtifactWriter(path, PREDICTIONS) as writer:
                for start in range(first, last, _BLOCK):
                    rows = _predictions(range(start, min(start + _BLOCK, last)), model, generator)
                    right += int(rows["correct"].to_numpy()[1::2].sum())  # the counterfactual comes first
                    writer.write(rows)
        shares.append(right / pairs)
    return shares


def _ids(block: range) -> tuple[pa.Array, pa.Array]:
    """Pair ids and question ids, two rows a pair, in order."""
    numbers = pa.array(np.repeat(np.arange(block.start, block.stop), 2)).cast(pa.string())
    pairs = pc.binary_join_element_wise("abs_counting", pc.utf8_lpad(numbers, 7, "0"), "_")
    variants = pa.array(["counterfactual", "original"] * len(block))
    return pairs, pc.binary_join_element_wise(pairs, variants, "-")


def _questions(block: range) -> pa.Table:
    pairs, ids = _ids(block)
    rows = len(ids)
    groups = np.array(GROUPS)[np.repeat(np.arange(block.start, block.stop) % len(GROUPS), 2)]
    return pa.table(
        {
            "question_id": ids,
            "pair_id": pairs,
            "group": groups,
            "variant": ["counterfactual", "original"] * len(block),
            "question": ["How many would there be?", "How many are there?"] * len(block),
            "choices": pa.array([["11", "12", "13", "14"]] * rows, pa.list_(pa.string())),
            "answer": ["A"] * rows,
            "answer_kind": ["choice"] * rows,
            "image_ids": pa.array([["0" * 64]] * rows, pa.list_(pa.string())),
            "provenance": ["{}"] * rows,
        }
    )


def _predictions(block: range, model: int, generator: np.random.Generator) -> pa.Table:
    _, ids = _ids(block)
    rows = len(ids)
    status = generator.choice(len(_STATUSES), rows, p=[0.97, 0.01, 0.01, 0.01])
    letter = generator.choice(4, rows, p=[0.4, 0.2, 0.2, 0.2])
    answered = status == 0
    ranked = model % 2 == 0
    error = status == len(_STATUSES) - 1
    letters = np.array(["A", "B", "C", "D"])[letter]
    words = pc.binary_join_element_wise(
        "It must be", pa.array(letters), pa.array(generator.integers(10_000, size=rows)).cast(pa.string()), " "
    )
    made = {
        "question_id": ids,
        "model": [f"model-{model:02d}"] * rows,
        "strategy": ["direct"] * rows,
        "response": pa.nulls(rows, pa.string()) if ranked else pc.if_else(pa.array(error), None, words),
        "choice_scores": option_scores(generator, rows, error)
        if ranked
        else pa.array([None] * rows, pa.list_(OPTION_SCORE)),
        "answer": pc.if_else(pa.array(answered), pa.array(letters), None),
        "status": np.array(_STATUSES)[status],
        "reason": pc.if_else(pa.array(answered), None, "made up"),
        "correct": answered & (letter == 0),
        "request_key": pa.nulls(rows, pa.string()),
        "prompt_tokens": np.full(rows, 40),
        "response_tokens": generator.integers(1, 8, size=rows),
    }
    # `pa.nulls` would also set the members of a struct to null, which its type does not allow.
    blank = {field.name: pa.array([None] * rows, field.type) for field in PREDICTIONS.schema if field.name not in made}
    return pa.table({**made, **blank})


def option_scores(generator: np.random.Generator, rows: int, error: Any) -> pa.Array:
    sizes = np.where(error, 0, 4)
    total = int(sizes.sum())
    likelihood, tokens = generator.normal(-8, 2, total), generator.integers(1, 4, size=total, dtype=np.int32)
    unconditional = [pa.array(generator.normal(-9, 2, total)) for _ in range(2)]
    exact = pa.array(np.zeros(total, dtype=np.bool_))
    members = [pa.array(likelihood), pa.array(tokens), pa.array(likelihood / tokens), exact, *unconditional]
    scores = pa.StructArray.from_arrays(members, fields=list(OPTION_SCORE))
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32), mask=np.append(error, False))
    return pa.ListArray.from_arrays(offsets, scores)


def _child(folder: Path, what: str) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "bench.aggregate_10m", what, str(folder), str(folder / f"made-by-{what}")]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return dict(json.loads(ended.stdout))


def _ours(folder: Path, made: Path) -> list[float]:
    """Everything that is made of predictions, written to files."""
    from whatif.benchmarks.cvqa_synthetic.report import Puzzles
    from whatif.benchmarks.cvqa_synthetic.settings import ReportSettings
    from whatif.benchmarks.cvqa_synthetic.steps import TABLES, TITLE
    from whatif.benchmarks.shared.dimensions import CHOOSER
    from whatif.benchmarks.shared.results import answered_fields
    from whatif.benchmarks.shared.tasks import evaluation_stage
    from whatif.engine import artifacts
    from whatif.engine.artifacts.ahead import read_ahead
    from whatif.engine.looked_up import looked_up
    from whatif.results.reporting.question_pairs import PREDICTION_COLUMNS, QUESTION_COLUMNS, QuestionPairAnswers
    from whatif.results.reporting.report import Report, text_files
    from whatif.scoring.ranking_rules import STORED

    folders = sorted(folder.glob("model-*"))
    names = {one.name: one.name for one in folders}
    paths = [path for one in folders for path in sorted(one.iterdir())]
    predictions = artifacts.batches(
        paths, PREDICTIONS, PREDICTION_COLUMNS, encoded=["model", "response", "answer", "status"]
    )
    asked = artifacts.batches([folder / "questions.parquet"], QUESTIONS, QUESTION_COLUMNS)
    found = Puzzles(
        **answered_fields(QuestionPairAnswers(read_ahead(predictions), asked, names), names, STORED),
        task=cast(Any, None),
        title=TITLE,
        settings=ReportSettings(0.95, 500),
        dimension=CHOOSER,
        questions=(),
        stages=[evaluation_stage(sorted(one.iterdir()), one.name) for one in folders],
    )
    names_of_tables = ("table7", "paired", "templates", "drops", "letters", "funnel")
    tables = [looked_up(TABLES.tables[name]).table(name, found) for name in names_of_tables]
    report = Report(TITLE, tables, found.headline)
    for path, content in text_files("cvqa-synthetic", report).items():
        (made / Path(path).name).write_bytes(content)
    return [float(found.headline[model]["original"]) for model in names]


def _pandas(folder: Path, made: Path, *, by_rules: bool = True) -> list[float]:
    """Accuracies alone: no pairs, intervals, tests, letters or statuses."""
    import pandas as pd

    from whatif.scoring.published_extraction.rules import PUBLISHED_RULES, published_correct

    measures, of_words = ["correct"], ["question_id", "model", "correct", "response", "status"]
    columns = ["question_id", "group", "variant", "answer_kind", "answer"]
    questions = pd.read_parquet(folder / "questions.parquet", columns=columns if by_rules else columns[:3])
    paths = sorted(folder.glob("model-*/*.parquet"))
    parts = [pd.read_parquet(path, columns=of_words if by_rules else of_words[:3]) for path in paths]
    merged = pd.concat(parts, ignore_index=True).merge(questions, on="question_id", how="left")
    if by_rules:
        asked = ["response", "answer_kind", "answer"]
        in_words = merged["response"].notna() & (merged["status"] != "error")
        read = merged.loc[in_words, asked].drop_duplicates()
        rows = [
            row | {"choice_scores": None, "status": "ok", "choices": list("1234")} for row in read.to_dict("records")
        ]
        for rules in PUBLISHED_RULES:
            read[rules] = [published_correct(row, row, rules) for row in rows]
        merged = merged.merge(read, on=asked, how="left")
        for rules in PUBLISHED_RULES:
            merged[rules] = merged[rules].where(in_words, merged["correct"]).astype("float32")
        measures += PUBLISHED_RULES
    merged.groupby(["model", "group", "variant"])[measures].mean().to_csv(made / "accuracies.csv")
    originals = merged[merged["variant"] == "original"]
    return [float(100 * share) for share in originals.groupby("model")["correct"].mean()]


def _bare(folder: Path, made: Path) -> list[float]:
    return _pandas(folder, made, by_rules=False)


def main(what: str, folder: Path, made: Path) -> None:
    """Runs one side and prints what it took."""
    made.mkdir()
    started, before = time.perf_counter(), time.process_time()
    accuracies = {"ours": _ours, "pandas": _pandas, "bare": _bare}[what](folder, made)
    seconds, cpu = time.perf_counter() - started, time.process_time() - before
    # `ru_maxrss` would begin with the memory of the process that started this one.
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    memory = 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu, "bytes": memory, "accuracies": accuracies}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
