"""People's cue phrases and explanations: exported as tasks, written, imported and checked, as a project does it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.benchmarks.mucr.released_rows import Row, pair_row, write_rows
from tests.people.imports.files import csv_file, csv_rows
from tests.projects import Project
from whatif.benchmarks.mucr.annotation_tasks import annotation_task_set, with_chosen_images
from whatif.benchmarks.mucr.annotations import annotated
from whatif.benchmarks.shared.imported_labels import LabelSettings
from whatif.commands.cli import main
from whatif.engine.errors import WhatifError
from whatif.engine.graph.jobs import Job
from whatif.engine.params.resolution import Resolution
from whatif.people.picture_tasks import task_id_of

pytestmark = pytest.mark.slow

WRITTEN = {
    "cue": "water",
    "false_cue_1": "hat",
    "false_cue_2": "table",
    "false_cue_3": "smoke",
    "cause": "a nurse pours water on a candle.",
    "effect": "smoke rises",
    "link": "water puts out the flame",
}
EXPLANATION = (
    "Cause: a nurse pours water on a candle. Effect: smoke rises. "
    "The causal link between them is that water puts out the flame."
)
PARTS = ("cause", "effect", "link")


@pytest.fixture
def captions(folder: Path) -> Project:
    """A project with four pairs of core captions without cue phrases; the last one has an explanation."""
    project = Project(folder, "mucr")
    rows = [pair_row(number, cue=None, false_cue=None, causal_reason=None) for number in range(1, 4)]
    write_rows(folder / "captions.jsonl", [*rows, pair_row(4, cue=None, false_cue=None)])
    project.section("extract")["captions"] = "captions.jsonl"
    project.make("extract")
    return project


def job(project: Project) -> list[Job]:
    return [one for one in project.jobs("generate") if one.step.name == "annotate"]


def annotate(project: Project, *rows: Row, rule: str = "single") -> list[str]:
    """Imports a long file of labels; each row has an item, a decision and perhaps an annotator and fields."""
    if rows:
        made = [
            {"item_id": row["item"], "annotator": row.get("by", "ann"), "decision": row["says"]}
            | {f"corrected_{name}": text for name, text in row.get("fields", {}).items()}
            for row in rows
        ]
        csv_file(project.folder / "labels.csv", made)
        project.generate["annotations"] = [{"path": "labels.csv", "format": "long"}]
        project.generate["resolution"] = {"rule": rule}
    return project.make_jobs(job(project))


def pairs(project: Project) -> dict[str, Row]:
    return {row["pair_id"]: row for row in project.rows("generate", "pairs", "annotate")}


def rejections(project: Project) -> dict[str, tuple[str, str]]:
    rows = project.rows("generate", "unannotated")
    return {row["item_id"]: (row["reason"], row["detail"]) for row in rows}


def label(item: str, says: str = "annotated", **fields: str) -> Row:
    return {"item": item, "says": says, "fields": {**(WRITTEN if says == "annotated" else {}), **fields}}


def test_written_cues_and_explanations_complete_the_pairs(captions: Project) -> None:
    annotate(captions, label("1"), label("4", cause="", effect="", link=""))
    found = pairs(captions)
    assert (found["1"]["cue"], found["1"]["false_cues"]) == ("water", ["hat", "table", "smoke"])
    assert found["1"]["explanation"] == EXPLANATION
    assert json.loads(found["1"]["provenance"]) == {
        "cue": "annotator",
        "explanation": "annotator",
        "origin": "captions",
    }
    assert found["4"]["cue"] == "water" and found["4"]["explanation"].startswith("Cause: the pilot")
    assert "explanation" not in json.loads(found["4"]["provenance"])
    assert rejections(captions) == {
        "2/annotation": ("not annotated", "no label about it counts"),
        "3/annotation": ("not annotated", "no label about it counts"),
    }
    assert len(found) == 4 and found["2"]["cue"] is None, "it can be asked for its effect"


def test_an_explanation_may_be_whole(captions: Project) -> None:
    nothing = dict.fromkeys(PARTS, "")
    annotate(captions, label("1", **nothing, explanation=EXPLANATION), label("2", explanation=EXPLANATION))
    assert pairs(captions)["1"]["explanation"] == EXPLANATION
    assert rejections(captions)["2/explanation"][1] == (
        "explanation: is given as a whole and in parts (cause, effect, link); keep one"
    )


@pytest.mark.parametrize(
    ("fields", "item", "reason", "told"),
    [
        ({"cue": "smoke"}, "1/cue", "two right cues", "has the right cue, too: smoke"),
        ({"cue": ""}, "1/cue", "cue missing", "cue: is empty"),
        ({"false_cue_3": ""}, "1/cue", "false cue missing", "has 2 values, not 3"),
        ({"false_cue_3": "Hat"}, "1/cue", "false cue twice", "two are the same: hat, table, Hat"),
        ({"link": ""}, "1/explanation", "explanation without three parts", "has nothing after `The causal link"),
        (
            {"cause": "a. Effect: b"},
            "1/explanation",
            "explanation without three parts",
            "two parts in the place of one",
        ),
        (
            {**dict.fromkeys(PARTS, ""), "explanation": "Because."},
            "1/explanation",
            "explanation without three parts",
            "has not the three parts of `Cause: ...",
        ),
        (dict.fromkeys(PARTS, ""), "1/explanation", "explanation without three parts", "explanation: is empty"),
    ],
)
def test_what_cannot_be_used_is_left_out(captions: Project, fields: Row, item: str, reason: str, told: str) -> None:
    annotate(captions, label("1", **fields))
    assert rejections(captions)[item][0] == reason
    assert told in rejections(captions)[item][1]
    one = pairs(captions)["1"]
    assert (one["cue"] is None, one["explanation"] is None) == (item == "1/cue", item == "1/explanation")


def test_a_pair_with_two_faults_is_lost_once(captions: Project) -> None:
    nothing = dict.fromkeys(WRITTEN, "")
    said = annotate(captions, label("1"), *(label(name, **nothing) for name in ("2", "3")), label("4"))
    assert len(rejections(captions)) == 4, "cue phrases and explanations"
    assert not [line for line in said if "annotated pairs" in line], "two of four are whole"


def test_a_pair_that_is_no_cause_and_effect_is_removed(captions: Project) -> None:
    annotate(captions, label("1"), label("2", "unfit"))
    assert list(pairs(captions)) == ["1", "3", "4"]
    assert rejections(captions)["2"] == ("no cause and effect", "annotators find that the effect does not follow")


def test_annotators_who_disagree(captions: Project) -> None:
    annotate(
        captions, {**label("1"), "by": "ann"}, {**label("1", cue="flame"), "by": "bob"}, label("3"), rule="unanimous"
    )
    assert rejections(captions)["1/annotation"] == ("corrections differ", 'cue: ann: "water"; bob: "flame"')
    assert pairs(captions)["1"]["cue"] is None
    assert len(captions.rows("generate", "annotations")) == 3


def test_without_labels_what_lacks_is_listed(captions: Project) -> None:
    said = annotate(captions)
    assert set(rejections(captions)) == {f"{number}/annotation" for number in range(1, 5)}
    assert "none of 4 annotated pairs is left" in said[0] and "not annotated" in said[0]
    assert [row["cue"] for row in pairs(captions).values()] == [None] * 4


def test_tasks_are_texts_and_come_back_as_labels(captions: Project) -> None:
    captions.write_params()
    done = CliRunner().invoke(main, ["export", "tasks", "mucr", "tasks", "--of", "annotate", "--to", "csv"])
    assert done.output == "tasks: 4 tasks, 4 labels to give: instructions.txt, tasks.csv\n", done.output
    rows = csv_rows("tasks/tasks.csv")
    assert not [name for name in rows[0] if name.startswith("image")]
    seed = captions.values["seed"]
    texts = {task_id_of(str(number), seed): pair_row(number)["caption_0"] for number in range(1, 5)}
    assert {row["task_id"]: row["cause_caption"] for row in rows} == texts
    assert not [name for name in ("explanation", "corrected_explanation") if name in rows[0]]
    written = {"label": "annotated", **{f"corrected_{name}": text for name, text in WRITTEN.items()}}
    csv_file(Path("filled.csv"), [row | written for row in rows])
    captions.generate["annotations"] = "filled.csv"
    annotate(captions)
    assert rejections(captions) == {}, "pair 4 keeps its own explanation"
    assert pairs(captions)["4"]["explanation"].startswith("Cause: the pilot")


@pytest.mark.parametrize("tool", ["label-studio", "mturk"])
def test_tasks_of_texts_for_other_tools(captions: Project, tool: str) -> None:
    captions.write_params()
    more = ["--image-url", "https://lab.example/"] if tool == "mturk" else []
    done = CliRunner().invoke(main, ["export", "tasks", "mucr", tool, "--of", "annotate", "--to", tool, *more])
    assert done.exit_code == 0, done.output
    page = Path(tool, "layout.html" if tool == "mturk" else "labelling-interface.xml").read_text(encoding="utf-8")
    assert "<img" not in page and "<Image" not in page
    assert ('name="corrected_cue"' in page) and "cause_caption" in page
    if tool == "label-studio":
        assert 'toName="cause_caption"' in page


def row_of(number: int, **changes: Any) -> Row:
    return {
        "pair_id": str(number),
        "cause_caption": "a",
        "effect_caption": "b",
        "cue": None,
        "false_cues": None,
        "explanation": None,
    } | changes


def test_tasks_show_the_chosen_images_where_there_are_some() -> None:
    choices = [
        {"pair_id": "1", "style": style, "cause_candidate": f"{style}-c", "effect_candidate": f"{style}-e"}
        for style in ("comic", "photograph")
    ]
    candidates = [{"candidate_id": name, "image_id": f"id of {name}"} for name in ("photograph-c", "photograph-e")]
    rows = with_chosen_images([row_of(1), row_of(2)], choices, candidates, ("photograph", "comic"))
    assert [row["image_ids"] for row in rows] == [["id of photograph-c", "id of photograph-e"], []]
    tasks = annotation_task_set(rows, 0)
    assert {task.item_id: len(task.image_ids) for task in tasks.tasks} == {"1": 2, "2": 0}


def test_nothing_to_annotate() -> None:
    whole = row_of(1, cue="x", false_cues=["a", "b", "c"], explanation=EXPLANATION)
    with pytest.raises(WhatifError, match="there is nothing to annotate"):
        annotation_task_set([whole], 0)


def test_whole_pairs_need_no_annotation() -> None:
    whole = row_of(1, cue="x", false_cues=["a", "b", "c"], explanation=EXPLANATION, provenance='{"origin":"captions"}')
    found = annotated([whole], LabelSettings(None, Resolution(rule="single")), 0)
    assert (found.rows, found.rejections) == ([whole], [])
