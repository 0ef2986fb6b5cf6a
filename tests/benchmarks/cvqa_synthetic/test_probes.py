"""C-VQA-Synthetic with models that are asked changed questions as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_synthetic.small import BEFORE_MODELS, NAME, small
from tests.projects import Project
from tests.tiny_checkpoints import tiny_llava, tiny_text_model
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS, PROBED
from whatif.engine.params.probes import OTHER_IMAGE, PARAPHRASED, PROBES, SHUFFLED, WITHOUT_IMAGE
from whatif.results.reporting.table import from_csv

pytestmark = pytest.mark.slow

Row = dict[str, Any]


@pytest.fixture
def made(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with three models and a file of responses, before they are asked."""
    pytest.importorskip("torch")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    small(project).generate.update(puzzles_per_template=2)
    project.values["models"] = {
        "first-option": {"adapter": "first-option"},
        "sees": {"adapter": "hf-chat", "checkpoint": str(tiny_llava(tmp_path / "llava")), "limit": 6},
        "blind": {"adapter": "blind", "checkpoint": str(tiny_text_model(tmp_path / "text")), "prompt": "{question}"},
        "theirs": {"adapter": "replay", "predictions": "theirs.csv"},
    }
    project.make(*BEFORE_MODELS)
    lines = [f"{row['question_id']},A\n" for row in project.rows("verify", "questions")]
    (project.folder / "theirs.csv").write_text("question_id,response\n" + "".join(lines), encoding="utf-8")
    return project


def answers(project: Project, model: str, probe: str = "") -> dict[str, Row]:
    """The answers of a model by question, to the ordinary questions or to those of a probe."""
    role, kind = ("probed", PROBED) if probe else ("predictions", PREDICTIONS)
    paths = [path for path in project.paths("evaluate", role) if f"/{model}/" in str(path) and probe in str(path)]
    return {row["question_id"]: row for row in artifacts.rows_of(paths, kind)}


def test_changed_questions_are_asked_beside_the_others_and_compared_with_them(made: Project) -> None:
    made.run("evaluate")
    asked = {model: answers(made, model) for model in made.values["models"]}
    made.values["probes"] = "all"
    done = made.run("evaluate", "aggregate")
    assert not [name for name, how in done.items() if how == "computed" and "evaluate" in name and "probes" not in name]
    folder = made.folder / "metrics" / NAME
    table = from_csv((folder / "probes.csv").read_text(encoding="utf-8"))
    found = table[table["variant"] == ""].set_index(["model", "probe", "measure"])
    assert set(table["probe"]) == set(PROBES) and set(table["model"]) == {"first-option", "sees", "blind"}

    # A follows the letter: no content stays the same.
    shuffled = answers(made, "first-option", SHUFFLED)
    assert {row["answer"] for row in shuffled.values()} == {"A"}
    assert found["value"]["first-option", SHUFFLED, "same_answer"] == 0
    right = 100 * sum(row["correct"] for row in shuffled.values()) / len(shuffled)
    assert found["value"]["first-option", SHUFFLED, "probed"] == pytest.approx(right, abs=1e-4)

    # Who reads the text alone answers as before, and no request is sent again.
    for probe in (WITHOUT_IMAGE, OTHER_IMAGE):
        probed = answers(made, "blind", probe)
        assert {name: row["request_key"] for name, row in probed.items()} == {
            name: row["request_key"] for name, row in asked["blind"].items()
        }
        assert found["value"]["blind", probe, "same_answer"] == 100
        assert found["value"]["blind", probe, "change"] == 0

    # Who looks is shown no image, or another one; only the questions of its sample are asked.
    assert len(asked["sees"]) == found["n"]["sees", WITHOUT_IMAGE, "change"] == 12
    assert {row["image_tokens"] for row in answers(made, "sees", WITHOUT_IMAGE).values()} <= {None, 0}
    others = answers(made, "sees", OTHER_IMAGE)
    assert others.keys() == asked["sees"].keys()
    assert not {row["request_key"] for row in others.values()} & {row["request_key"] for row in asked["sees"].values()}

    cut = found["n"]["blind", PARAPHRASED, "change"]
    assert cut and cut + found["n"]["blind", PARAPHRASED, "skipped"] == len(asked["blind"])
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "## Probes" in report and "theirs (all probes)" in " ".join(report.split())
