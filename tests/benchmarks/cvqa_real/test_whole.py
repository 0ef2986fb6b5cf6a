"""C-VQA-Real from each of its sources to its report: no question is lost on the way without a reason."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.benchmarks.cvqa_real.question_writers import Asked, WriterServer, well
from tests.benchmarks.cvqa_real.small import ours, table
from tests.benchmarks.cvqa_real.vqa import vqa_project
from tests.projects import Project
from whatif.benchmarks.cvqa_real.schemas import NUMERICAL

pytestmark = pytest.mark.slow

NAME = "cvqa-real"
OF_PAIRS = ("generate", "filter", "check", "verify")


def counts(of: str = "pairs") -> dict[str, dict[str, Any]]:
    """Stage -> measure or reason -> number, of the stages that count these; every stage must add up."""
    frame = table("funnel")
    found = {}
    for (stage, unit), rows in frame.groupby(["stage", "unit"], sort=False):
        of_stage = {row["measure"]: row["value"] for _, row in rows.iterrows() if row["measure"] != "rejected because"}
        why = rows[rows["measure"] == "rejected because"]
        assert of_stage["in"] == of_stage["out"] + of_stage["rejected"]
        assert of_stage["rejected"] == why["value"].sum()
        assert "without a reason" not in set(why["reason"])
        if unit == of:
            found[str(stage)] = {**of_stage, **dict(zip(why["reason"], why["value"], strict=True))}
    return found


def check_chain() -> dict[str, dict[str, Any]]:
    """What a stage passes on comes into the next one, and the systems are asked both questions of every pair."""
    of_pairs = counts()
    assert [stage for stage in of_pairs if stage in OF_PAIRS] == list(OF_PAIRS)
    for before, after in pairwise(OF_PAIRS):
        assert of_pairs[before]["out"] == of_pairs[after]["in"]
    asked = [stage for name, stage in counts("questions").items() if name.startswith("evaluate ")]
    assert asked and all(stage["in"] == 2 * of_pairs["verify"]["out"] for stage in asked)
    return of_pairs


def drawn(project: Project, **writers: list[str]) -> Project:
    """A project with a few drawn scenes and two baselines."""
    project.select(NAME)
    project.section("extract")["scenes"] = {"number": 6, "side": 64}
    project.generate["writers"] |= writers
    project.values["models"] = {"majority": {"adapter": "majority"}, "random": {"adapter": "random"}}
    return project


def test_drawn_scenes_by_rules_as_in_the_default_run(project: Project) -> None:
    drawn(project).run()
    check_chain()
    sources = project.rows("extract", "questions")
    numerical = sum(row["group"] == NUMERICAL for row in sources)
    of_writers = counts("questions")
    assert of_writers["extract"]["out"] == len(sources)
    assert of_writers["write direct by rules"]["in"] == of_writers["write indirect by scenes"]["in"] == numerical
    assert of_writers["write boolean by rules"]["in"] == len(sources) - numerical
    writers = table("writers").set_index(["writer", "group", "measure"])["value"]
    assert writers["rules", "boolean", "written"] == of_writers["write boolean by rules"]["out"]
    assert writers["rules", "boolean", "changed"] == 100
    assert set(table("question-set")["set"]) == {"ours", "reported"}
    assert set(table("shortcuts")["set"]) == {"ours"}
    text = Path("metrics/cvqa-real/table3.md").read_text(encoding="utf-8").replace("\n", " ")
    assert "Our rows are about our own questions, the reported ones about the released set." in text
    assert "Our rows are answers to the strategy plain; the strategy direct was not asked." in text
    assert set(ours("table3", "accuracy")["name"]) == {"majority", "random"}
    assert set(project.metrics["table3"]["majority"]) == {"direct", "indirect", "boolean"}


def test_refused_replies_and_labels_of_people_add_up(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)

    def every_other(asked: Asked, turn: int) -> str:
        return well(asked[::2], turn) if turn == 0 else "I cannot do that."

    with WriterServer(every_other) as server:
        drawn(project, direct=["rules", "writer"], boolean=["rules", "writer"])
        project.values["models"]["writer"] = server.entry()
        project.generate["prompting"]["questions_per_request"] = 10
        project.run("extract", "generate", "filter")
    pairs = sorted({row["pair_id"] for row in project.rows("filter", "questions")})
    lines = [f"{pair},ann,{'unrelated' if place % 3 == 0 else 'accept'},," for place, pair in enumerate(pairs[1:])]
    header = "item_id,annotator,decision,corrected_answer,corrected_question"
    text = "\n".join([header, *lines, "nobody,ann,accept,,"]) + "\n"
    (project.folder / "people.csv").write_text(text, encoding="utf-8")
    project.section("verify")["labels"] = [{"path": "people.csv", "format": "long"}]
    project.run("verify", "evaluate", "aggregate")
    of_pairs = check_chain()
    removed = sum(",unrelated," in line for line in lines)
    assert (of_pairs["check"]["unrelated"], of_pairs["check"]["not judged"]) == (removed, 1)
    of_writers = counts("questions")
    for group in ("direct", "boolean"):
        stage = of_writers[f"write {group} by writer"]
        assert stage["in"] == of_writers[f"write {group} by rules"]["in"]
        assert 0 < stage["out"] < stage["in"]
        assert stage["reply refused"] == stage["rejected"]
    assert counts("labels")["check"]["unknown item"] == 1
    writers = table("writers").set_index(["writer", "group", "measure"])["value"]
    assert writers["writer", "direct", "refused"] == of_writers["write direct by writer"]["rejected"]
    assert writers["writer", "direct", "written"] == of_writers["write direct by writer"]["out"]
    left = [one for one in project.rows("verify", "questions") if one["variant"] == "original"]
    after = table("writers")
    assert after[after["measure"] == "after verify"]["value"].sum() == len(left)


def test_questions_of_vqa_v2(project: Project) -> None:
    vqa_project(project)
    project.generate["writers"] = {"direct": ["rules"], "indirect": [], "boolean": ["rules"]}
    project.values["models"] = {"majority": {"adapter": "majority"}, "random": {"adapter": "random"}}
    project.run()
    check_chain()
    extracted = counts("questions")["extract"]
    assert extracted["rejected"] > 0 and extracted["out"] == len(project.rows("extract", "questions"))
    assert counts("images")["extract"]["picture missing"] == 1


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_the_released_set_stands_beside_ours(project: Project) -> None:
    released = Path(os.environ["WHATIF_DATA"]) / "c-vqa" / "C-VQA-Real_questions.csv"
    drawn(project).section("aggregate")["released_questions"] = str(released)
    project.run()
    check_chain()
    of_set = table("question-set")
    assert list(dict.fromkeys(of_set["set"])) == ["ours", "released", "reported"]
    values = of_set.set_index(["set", "group", "variant", "measure"])["value"]
    unchanged = [
        values["released", group, "counterfactual", "unchanged"] for group in ("direct", "indirect", "boolean")
    ]
    assert unchanged == [3, 49, 26]
    assert round(values["released", "boolean", "counterfactual", "changed"], 1) == 97.7
    assert round(values["released", "boolean", "counterfactual", "answer no"], 2) == 55.13
    means = [round(values["released", "all", variant, "mean words"], 3) for variant in ("original", "counterfactual")]
    assert means == [5.879, 13.157]
    audited = table("shortcuts").set_index(["set", "variant", "rule"])[["value", "n"]]
    opposite = audited.loc[pd.IndexSlice["released", "boolean counterfactual", "opposite-answer"]]
    assert [round(float(opposite["value"]), 1), int(opposite["n"])] == [97.7, 1130]
    assert audited.loc[("released", "direct counterfactual", "arithmetic"), "value"].item() > 95
    assert {"ours", "released"} == set(table("answers")["set"]) == set(table("words")["set"])
