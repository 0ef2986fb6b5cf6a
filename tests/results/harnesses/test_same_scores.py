"""The same stored responses have the same score in whatif, in inspect_ai and in lmms-eval, question by question.

`make harnesses` installs the other two in environments of their own; without them, these tests are skipped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.results.harnesses.environments import INSPECT_AI, LMMS_EVAL, needs, python
from tests.results.harnesses.published import NEVER_FOUND, Row, awkward, labelled, publish, several
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.params.models import Replay
from whatif.models import load
from whatif.results.harnesses import scores
from whatif.results.harnesses.exported_task import write_exported_task
from whatif.results.harnesses.tasks import task_name, write_tasks
from whatif.results.reporting.paired import measures
from whatif.results.reporting.paired_answers import PairOutcomes
from whatif.results.reporting.precision import percent
from whatif.scoring.open_answers import open_predictions
from whatif.scoring.rank import predictions

pytestmark = [pytest.mark.process, pytest.mark.slow]
PROGRAMS = Path(__file__).parent


@dataclass(frozen=True)
class Asked:
    """A published set: its folder, its questions, and the stored responses by question."""

    folder: Path
    rows: list[Row]
    responses: Mapping[str, str]

    @property
    def task(self) -> str:
        return task_name(self.folder.name)


@pytest.fixture(scope="module", params=[10, pytest.param(2, marks=pytest.mark.soak)], ids=["some", "hundreds"])
def sets(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Asked]:
    """Two sets of pairs with hard responses, one with 0, 1 or 2 images, and two of texts to be kept."""
    folder = tmp_path_factory.mktemp("published")
    found = {}
    for name, (rows, responses) in {
        "choices": labelled("choice", request.param),
        "open": labelled("open", request.param),
        "ways": several(),
        "awkward-choices": awkward("choice"),
        "awkward-open": awkward("open"),
    }.items():
        publish(folder / name, rows, single=name != "ways")
        write_tasks(name, folder / name)
        found[name] = Asked(folder / name, rows, responses)
    return found


@pytest.fixture(scope="module")
def ours(sets: dict[str, Asked]) -> dict[str, dict[str, dict[str, Any]]]:
    """Task -> question -> the prediction that whatif makes of the stored response (`adapter: replay`)."""
    found = {}
    for name, asked in sets.items():
        path = asked.folder.parent / f"{name}.jsonl"
        lines = [json.dumps({"question_id": key, "response": text}) for key, text in asked.responses.items()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        model = load("replay", Replay(adapter="replay", predictions=str(path)), 0)
        rows = [{**row, "image_ids": []} for row in asked.rows]
        if name.endswith("open"):
            made = open_predictions(rows, ImageStore([]), "m", model, strategy="direct")
        else:
            made = predictions(rows, ImageStore([]), "m", model, form="words")
        found[asked.task] = {one["question_id"]: one for one in made}
    return found


def shares(asked: Asked, made: Mapping[str, Any]) -> dict[str, float]:
    """Accuracy on originals, on counterfactuals and on both of a pair, from our predictions."""
    right = {key: one["correct"] for key, one in made.items()}
    pairs = sorted({row["pair_id"] for row in asked.rows})
    original, counterfactual = ([right[f"{pair}-{way}"] for pair in pairs] for way in ("original", "counterfactual"))
    return {
        "accuracy_original": sum(original) / len(pairs),
        "accuracy_counterfactual": sum(counterfactual) / len(pairs),
        "pair_accuracy": sum(a and b for a, b in zip(original, counterfactual, strict=True)) / len(pairs),
    }


@pytest.fixture(scope="module")
def by_inspect_ai(sets: dict[str, Asked], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("inspect-ai")
    for asked in sets.values():
        (folder / asked.folder.name).symlink_to(asked.folder)
    files = {f"{one.folder.name}/tasks/inspect_ai/{one.task}.py": one.responses for one in sets.values()}
    (folder / "stored.json").write_text(json.dumps(files), encoding="utf-8")
    printed = python(INSPECT_AI, str(PROGRAMS / "run_inspect_ai.py"), "stored.json", "logs", folder=folder)
    found: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return found


def exported(asked: Asked) -> Asked:
    """The same questions as `whatif export lmms-eval` writes them, beside the data sets."""
    images = {hashlib.sha256(image).hexdigest(): image for row in asked.rows for image in row["images"]}
    rows = [{**row, "image_ids": [hashlib.sha256(image).hexdigest() for image in row["images"]]} for row in asked.rows]
    folder = asked.folder.parent / "exported"
    write_exported_task(rows, Encoded(images), folder, name=folder.name, strategy="direct")
    return replace(asked, folder=folder)


@dataclass(frozen=True)
class Encoded:
    """Encoded images by id."""

    of: Mapping[str, bytes]

    def encoded(self, image_id: str) -> bytes:
        return self.of[image_id]


@pytest.fixture(scope="module")
def by_lmms_eval(sets: dict[str, Asked], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The tool's own command with its own model `from_log`, which answers with the responses of a log."""
    folder = tmp_path_factory.mktemp("lmms-eval")
    asked_sets = [*sets.values(), exported(sets["choices"])]
    for asked in asked_sets:
        ids = sorted(row["question_id"] for row in asked.rows)
        log = {
            "args": {"model": "stored", "model_args": "", "limit": None},
            "model_configs": {"task": asked.task},
            "logs": [{"doc_id": number, "resps": [[asked.responses[key]]]} for number, key in enumerate(ids)],
        }
        (folder / "stored").mkdir(exist_ok=True)
        (folder / "stored" / f"{asked.task}.json").write_text(json.dumps(log), encoding="utf-8")
    tasks = ",".join(asked.task for asked in asked_sets)
    where = ("--include_path", str(next(iter(sets.values())).folder.parent), "--output_path", "out")
    model = ("--model", "from_log", "--model_args", "logs=stored")
    python(LMMS_EVAL, "-m", "lmms_eval", *model, *where, "--tasks", tasks, "--log_samples", folder=folder)
    (results,) = (folder / "out").rglob("*_results.json")
    metrics = json.loads(results.read_bytes())["results"]
    found = {}
    for asked in asked_sets:
        (samples,) = (folder / "out").rglob(f"*_samples_{asked.task}.jsonl")
        lines = [json.loads(line) for line in samples.read_bytes().split(b"\n") if line]
        outcomes = [next(value for key, value in line.items() if key.startswith("accuracy_")) for line in lines]
        found[asked.task] = {
            "metrics": {key.removesuffix(",none"): value for key, value in metrics[asked.task].items()},
            "correct": {one["question_id"]: one["score"] == 1 for one in outcomes},
            "answer": {one["question_id"]: one["answer"] for one in outcomes},
            "asked": {one["question_id"]: line["input"] for one, line in zip(outcomes, lines, strict=True)},
        }
    return found


def compare(sets: dict[str, Asked], ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """What is asked, every answer and score, and every accuracy to the last digit."""
    for name, asked in sets.items():
        made, found = ours[asked.task], theirs[asked.task]
        assert found["asked"] == {row["question_id"]: scores.asked(row) for row in asked.rows}
        assert found["correct"] == {key: one["correct"] for key, one in made.items()}
        assert found["answer"] == {key: one["answer"] for key, one in made.items()}
        if name != "ways":
            expected = shares(asked, made)
            assert {key: found["metrics"][key] for key in expected} == expected


def test_the_stored_responses_are_hard(sets: dict[str, Asked], ours: dict[str, Any]) -> None:
    for name in ("choices", "open"):
        made = ours[sets[name].task].values()
        assert len(made) >= 42
        assert {"ok", "none", "ambiguous"} == {one["status"] for one in made}
        assert 0.3 < sum(one["correct"] for one in made) / len(made) < 0.7
    kinds = {row["answer_kind"] for row in sets["open"].rows}
    assert kinds >= {"number", "boolean"}


@pytest.mark.parametrize("name", ["choices", "open"])
def test_these_are_the_numbers_of_the_table_paired(sets: dict[str, Asked], ours: dict[str, Any], name: str) -> None:
    made = ours[sets[name].task]
    pairs = sorted({row["pair_id"] for row in sets[name].rows})
    right = np.array([[made[f"{pair}-{way}"]["correct"] for way in ("original", "counterfactual")] for pair in pairs])
    none = np.zeros(len(pairs), dtype=bool)
    outcomes = PairOutcomes(right[:, 0], right[:, 1], none, right, none, none, None)
    table = {row["measure"]: row["value"] for row in measures(outcomes, 0.95)}
    expected = shares(sets[name], made)
    assert [table[measure] for measure in ("original", "counterfactual", "pair_accuracy")] == [
        percent(value) for value in expected.values()
    ]


@needs(INSPECT_AI)
def test_inspect_ai_gives_the_same_scores(
    sets: dict[str, Asked], ours: dict[str, Any], by_inspect_ai: dict[str, Any]
) -> None:
    compare(sets, ours, by_inspect_ai)
    ways = by_inspect_ai[sets["ways"].task]
    assert ways["images"] == {row["question_id"]: len(row["images"]) for row in sets["ways"].rows}
    assert {key for key in ways["metrics"] if key.startswith("accuracy_")} == {
        f"accuracy_{group}_{way}" for group in ("first", "second") for way in ("separate", "composite", "text")
    }


@needs(LMMS_EVAL)
def test_lmms_eval_gives_the_same_scores(
    sets: dict[str, Asked], ours: dict[str, Any], by_lmms_eval: dict[str, Any]
) -> None:
    compare(sets, ours, by_lmms_eval)
    of_choices = by_lmms_eval[sets["choices"].task]["metrics"]
    assert of_choices["pair_accuracy_stderr_clt"] == "N/A"  # the tool's would be that of questions, not of pairs


@needs(LMMS_EVAL)
def test_an_exported_task_gives_the_same_scores(sets: dict[str, Asked], by_lmms_eval: dict[str, Any]) -> None:
    published, alone = by_lmms_eval[sets["choices"].task], by_lmms_eval[task_name("exported")]
    assert alone["correct"] == published["correct"] and alone["answer"] == published["answer"]
    names = ("accuracy_original", "accuracy_counterfactual", "pair_accuracy")
    assert [alone["metrics"][name] for name in names] == [published["metrics"][name] for name in names]


@needs(INSPECT_AI)
@needs(LMMS_EVAL)
def test_the_other_two_agree_on_every_accuracy(
    sets: dict[str, Asked], by_inspect_ai: dict[str, Any], by_lmms_eval: dict[str, Any]
) -> None:
    for asked in sets.values():
        first, second = by_inspect_ai[asked.task]["metrics"], by_lmms_eval[asked.task]["metrics"]
        names = {key for key in first if key.startswith(("accuracy_", "pair_"))}
        assert len(names) >= 3 and {key: first[key] for key in names} == {key: second[key] for key in names}


@pytest.mark.soak
@needs(INSPECT_AI)
def test_the_hub_evaluates_the_folder_by_its_eval_yaml(sets: dict[str, Asked], tmp_path: Path) -> None:
    names = ["choices", "open", "awkward-choices", "awkward-open"]
    (tmp_path / "lab").mkdir()
    for name in names:
        (tmp_path / "lab" / name).symlink_to(sets[name].folder)
    repositories = [f"lab/{name}" for name in names]
    printed = python(INSPECT_AI, str(PROGRAMS / "run_hub.py"), *repositories, "logs", folder=tmp_path)
    found = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    asked = [key for task in found for key in task.pop("asked")]
    kept = {name: [row for row in sets[name].rows if row["answer"] not in NEVER_FOUND] for name in names}
    assert sorted(asked) == sorted(row["question"] for rows in kept.values() for row in rows)
    assert found == [
        {"task": f"hf/lab/{name}/{split}", "samples": number, "images": [1], "accuracy": 1.0}
        for name in names
        for split in ("original", "counterfactual")
        if (number := sum(row["variant"] == split for row in kept[name]))
    ]
