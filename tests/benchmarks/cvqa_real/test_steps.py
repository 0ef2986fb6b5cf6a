"""C-VQA-Real from the released file to its tables, on photographs made here and on those of coco-mini."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.small import configure, funnel, ours, small, table
from tests.defaults import ROOT
from tests.faulty_proxy import FaultyProxy
from tests.projects import Project
from tests.tiny_checkpoints import tiny_llava
from whatif import benchmarks
from whatif.benchmarks.cvqa_real.sampled_questions import questions_for
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS, QUESTIONS, REJECTIONS
from whatif.engine.errors import WhatifError
from whatif.engine.graph.run import run

pytestmark = pytest.mark.slow

BEFORE_TABLES = ("extract", "generate", "filter", "verify", "evaluate")


def answers_of(model: str, strategy: str = "direct") -> Path:
    return Path(f"data/evaluate/{model}/cvqa-real/predictions/{strategy}/part-000-of-001.parquet")


@pytest.fixture
def project(project: Project) -> Project:
    return small(project)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = small(Project(tmp_path_factory.mktemp("made")))
    project.make()
    return project


@pytest.fixture
def finished(made: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A finished project, in which the test runs, to be read."""
    monkeypatch.chdir(made.folder)
    return made


@pytest.mark.usefixtures("finished")
def test_pairs_without_a_picture_stay_in_the_set_and_are_not_asked() -> None:
    released = artifacts.read(Path("data/generate/cvqa-real/questions.parquet"), QUESTIONS)
    asked = artifacts.read(Path("data/verify/cvqa-real/questions.parquet"), QUESTIONS)
    assert (released.num_rows, asked.num_rows) == (8, 6)
    missing = artifacts.read(Path("data/extract/cvqa-real/missing.parquet"), REJECTIONS).to_pylist()
    assert [(row["item_id"], row["reason"]) for row in missing] == [
        ("COCO_val2014_000000000003.jpg", "picture missing")
    ]
    rejected = artifacts.read(Path("data/filter/cvqa-real/rejections.parquet"), REJECTIONS).to_pylist()
    assert [row["reason"] for row in rejected] == ["no picture"]
    found = funnel()
    filtered = [("in", "", 4), ("out", "", 3), ("rejected", "", 1), ("rejected because", "no picture", 1)]
    assert [row[1:] for row in found if row[0] == "filter"] == filtered
    assert [row[1:] for row in found if row[0] == "evaluate random direct"] == [
        ("in", "", 6),
        ("out", "", 6),
        ("rejected", "", 0),
    ]


def test_nobody_is_asked_to_write_for_the_released_set(project: Project) -> None:
    project.generate["writers"] = {"direct": ["no-such-model"], "indirect": [], "boolean": ["rules"]}
    assert "write" not in {job.step.name for job in project.jobs("generate")}
    project.section("extract")["questions"] = None
    with pytest.raises(WhatifError, match=r"writers\.direct: 'no-such-model' is no model that can write questions"):
        project.jobs()


def test_without_any_photograph_extract_says_what_to_give(project: Project, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    project.values["extract"]["cvqa-real"]["image_folders"] = [str(tmp_path / "empty")]
    told = r"extract cvqa-real: none of 3 photographs is left: picture missing \(3\); .*; name the folders of COCO's"
    with pytest.raises(WhatifError, match=told):
        project.run()
    assert not list(Path("data").rglob("*.parquet"))


def test_when_most_photographs_are_missing_one_line_says_so(project: Project) -> None:
    Path("val2017/000000000002.jpg").unlink()
    said: list[str] = []
    for job in project.jobs("extract"):
        run(job, said.append)
    lines = [line for line in said if line.startswith("warning: ")]
    assert len(lines) == 1 and lines[0].startswith("warning: extract cvqa-real: only 1 of 3 photographs is left; most ")


def test_without_labels_and_annotations_their_tables_are_empty(finished: Project) -> None:
    assert finished.rows("verify", "corrections") == []
    assert len(table("annotators")) == len(table("gender")) == 0
    assert finished.published("report.md").count("No labels by people were given.") == 2
    assert "No annotations were given." in finished.published("gender.md")


def test_our_numbers_are_beside_the_reported_ones(finished: Project) -> None:
    table3 = table("table3")
    reported = table3[(table3["source"] == "reported") & (table3["measure"] == "accuracy")]
    assert len(reported) == 14 * 3 * 2
    assert (
        reported["value"].map("{:.2f}".format).tolist()
        == reported["published"].astype(float).map("{:.2f}".format).tolist()
    )
    for variant in ("original", "counterfactual"):
        rows = ours("table3", "accuracy", variant=variant)
        assert rows[["name", "group", "n"]].values.tolist() == [
            [name, group, 3 if group == "all" else 1]
            for name in ("majority", "random")
            for group in ("direct", "indirect", "boolean", "all")
        ]
        assert set(rows[rows["model"] == "majority"]["value"]) == {100}
        for measure in ("legacy", "extraction_rate"):
            assert set(ours("table3", measure, model="majority", variant=variant)["value"]) == {100}
    metrics = finished.metrics
    assert set(metrics) == {"table3"} and set(metrics["table3"]) == {"majority", "random"}
    assert metrics["table3"]["majority"]["direct"] == {"original": 100, "counterfactual": 100, "drop": 0, "pairs": 1}
    drops = table("drops")
    compared = drops[drops["measure"] == "difference"][["model_a", "model_b", "group", "n"]]
    assert compared.values.tolist() == [["majority", "random", group, 1] for group in ("direct", "indirect", "boolean")]


def test_a_model_that_is_not_there_cannot_be_sampled(project: Project) -> None:
    project.values["evaluate"]["cvqa-real"]["sampled_models"] = ["nobody"]
    with pytest.raises(WhatifError, match="sampled_models: 'nobody' is not a key of models: majority, random"):
        benchmarks.check_params(project.values)


def test_a_sample_is_the_nearest_number_of_pairs_of_each_group() -> None:
    sizes = {"direct": 1150, "indirect": 864, "boolean": 1130}
    questions = [
        {"pair_id": f"{group}-{number}", "group": group, "variant": variant}
        for group, size in sizes.items()
        for number in range(size)
        for variant in ("original", "counterfactual")
    ]
    asking = (
        benchmarks.load_params(ROOT / "docs" / "paper-scale.yaml")
        .lookup("evaluate.cvqa-real")
        .model_copy(update={"sampled_models": ["m"], "sample_share": 0.1})
    )
    chosen = questions_for("m", questions, asking, seed=1)
    assert Counter(row["group"] for row in chosen) == {"direct": 230, "indirect": 172, "boolean": 226}
    assert {row["pair_id"] for row in chosen} != {
        row["pair_id"] for row in questions_for("m", questions, asking, seed=2)
    }
    assert chosen == questions_for("m", questions[::-1], asking, seed=1)[::-1]
    assert questions_for("another", questions, asking, seed=1) is questions


def test_a_checkpoint_answers_in_its_own_words_and_is_not_asked_twice(project: Project, tmp_path: Path) -> None:
    folder = tiny_llava(tmp_path / "llava", seed=1)
    tiny = {"adapter": "hf-chat", "checkpoint": str(folder), "max_new_tokens": 4}
    project.values["models"] = {"tiny": tiny}
    project.values["evaluate"]["cvqa-real"]["strategies"] = ["direct", "cot"]
    assert set(project.run().values()) == {"computed"}
    for strategy in ("direct", "cot"):
        rows = artifacts.read(answers_of("tiny", strategy), PREDICTIONS).to_pylist()
        assert len(rows) == 6
        assert all(row["strategy"] == strategy and row["response"] is not None for row in rows)
        assert all((row["status"] == "ok") == (row["answer"] is not None) for row in rows)
        assert not any(row["status"] == "error" for row in rows)
        assert all(len(row["request_key"]) == 64 for row in rows)
    assert "tiny" in Path("metrics/cvqa-real/table4.csv").read_text()
    before = answers_of("tiny").read_bytes()
    answers_of("tiny").unlink()
    (folder / "model.safetensors").rename(folder / "gone")  # without weights nothing can be asked
    with pytest.raises(WhatifError, match="lacks weights"):
        project.run()
    (folder / "gone").rename(folder / "model.safetensors")
    project.run()
    assert answers_of("tiny").read_bytes() == before


def test_the_number_of_shards_changes_no_answer_and_no_number(project: Project, tmp_path: Path) -> None:
    project.values["models"]["tiny"] = {
        "adapter": "hf-chat",
        "checkpoint": str(tiny_llava(tmp_path / "llava", seed=1)),
        "max_new_tokens": 4,
    }

    def made() -> tuple[list[dict[str, Any]], dict[str, bytes]]:
        project.run()
        parts = sorted(Path("data/evaluate").rglob("part-*.parquet"))
        assert len(parts) == len(project.values["models"]) * project.values["evaluate"]["cvqa-real"]["shards"]
        published = {str(path): path.read_bytes() for path in sorted(Path("metrics").rglob("*.*"))}
        return list(artifacts.rows_of(parts, PREDICTIONS)), published

    whole = made()
    assert len(whole[0]) == 6 * len(project.values["models"])
    shutil.rmtree("data/evaluate")
    project.values["evaluate"]["cvqa-real"]["shards"] = 4
    assert made() == whole


def test_the_gap_between_images_of_men_and_of_women(project: Project, tmp_path: Path) -> None:
    (tmp_path / "genders.csv").write_text("id,bb_gender\n1,Male\n2,Female\n3,Male\n", encoding="utf-8")
    project.values["extract"]["cvqa-real"]["gender_annotations"] = str(tmp_path / "genders.csv")
    project.run()
    by_gender = ours("gender", "drop")
    by_gender = by_gender[by_gender["gender"] != ""]
    assert by_gender[["model", "gender", "n"]].values.tolist() == [
        [model, gender, 1] for model in ("majority", "random") for gender in ("male", "female")
    ]
    assert by_gender[by_gender["model"] == "majority"]["value"].tolist() == [0, 0]
    assert ours("gender", "gap")["p_holm"].notna().all()
    for variant in ("original", "counterfactual"):
        of_majority = {"model": "majority", "variant": variant}
        assert [
            ours("gender", m, **of_majority)["value"].item() for m in ("accuracy", "legacy", "extraction_rate")
        ] == [100] * 3
        assert ours("gender", "error", **of_majority)["value"].item() == 0


def test_an_endpoint_is_asked_end_to_end_and_gives_what_the_checkpoint_gives(
    project: Project, served: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    address, checkpoint = served
    with FaultyProxy(address) as server:
        endpoint = {"adapter": "api", "model": str(checkpoint), "base_url": server.base_url, "key_variable": None}
        local = {"adapter": "hf-chat", "checkpoint": str(checkpoint)}
        project.values["models"] = {
            key: {**entry, "max_new_tokens": 4} for key, entry in {"served": endpoint, "local": local}.items()
        }
        project.run(*BEFORE_TABLES)
    responses = {
        model: {row["question_id"]: row["response"] for row in artifacts.rows_of(answers_of(model), PREDICTIONS)}
        for model in ("served", "local")
    }
    assert len(responses["served"]) == 6
    assert responses["served"] == responses["local"]
    # The server is gone; whatever it said is kept, and nothing needs to be asked.
    answers_of("served").unlink()
    project.run("evaluate")
    again = artifacts.read(answers_of("served"), PREDICTIONS).to_pylist()
    assert {row["question_id"]: row["response"] for row in again} == responses["served"]


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_the_released_questions_about_photographs_of_coco_mini(folder: Path) -> None:
    data = Path(os.environ["WHATIF_DATA"])
    checkpoint = tiny_llava(folder / "llava", seed=1)
    models = {"tiny": {"adapter": "hf-chat", "checkpoint": str(checkpoint), "max_new_tokens": 4}}
    folders = [data / "coco-mini" / "val2017", data / "coco-mini" / "train2017"]
    project = configure(Project(folder), data / "c-vqa" / "C-VQA-Real_questions.csv", folders, models)
    project.run(*BEFORE_TABLES)
    asked = project.rows("verify", "questions")
    assert len(asked) >= 2 * 8
    assert all(len(row["image_ids"]) == 1 for row in asked)
    rows = project.rows("evaluate", "predictions")
    assert len(rows) == len(asked)
    assert all(row["response"] is not None for row in rows)


def test_a_pilot_sample_is_of_the_part_that_a_model_would_be_asked(project: Project) -> None:
    project.values["models"] = {key: {"adapter": key, "limit": 1} for key in ("majority", "random")}
    project.values["evaluate"]["cvqa-real"].update(sampled_models=["random"], sample_share=0.4)
    project.run()
    for name, model in (("table3", "majority"), ("table5", "random")):
        rows = ours(name, "drop", group="all")
        assert rows[["name", "n"]].values.tolist() == [[f"{model} (pilot sample of 1 pair)", 1]]
        of_model = [row for row in funnel() if row[0] == f"evaluate {model} direct"]
        assert [row[3] for row in of_model] == [6, 2, 4, 4]
        assert of_model[-1][1:3] == ("rejected because", "not in the pilot sample")
