"""Exports of a set whose items have a basic question and several counterfactual ones, with two options each."""

from __future__ import annotations

from pathlib import Path

import datasets
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from tests.benchmarks.cfmm.answered import Row, item
from tests.people.pairs import Pictures
from tests.pictures import png
from whatif.benchmarks.cfmm.schemas import VARIANTS
from whatif.engine.artifacts.images import image_row
from whatif.engine.errors import WhatifError
from whatif.formats.evaluation_tools import write_vlmevalkit
from whatif.formats.hugging_face_card import card_section
from whatif.formats.hugging_face_questions import write_questions
from whatif.results.harnesses import lmms_eval_utils
from whatif.results.harnesses.exported_task import write_exported_task
from whatif.scoring.shortcuts.audit import RULES, audit
from whatif.scoring.statistics.question_sets import compare_markdown, summary

pytestmark = pytest.mark.slow

IMAGES = [image_row(png(colour), 8, 8, "drawn:test", "CC0-1.0") for colour in ((200, 0, 0), (0, 200, 0))]
ROWS: list[Row] = [
    {**row, "image_ids": [IMAGES[place]["image_id"]]}
    for place, name in enumerate(("a", "b"))
    for row in item(name, ("count", "color")[place])
]


def test_the_data_set_folder_has_five_questions_an_item(tmp_path: Path) -> None:
    made = write_questions(ROWS, Pictures(IMAGES), tmp_path)
    assert made.description == "10 questions in 2 items about 2 images."
    card = "\n".join(card_section(made, "ours"))
    named = ", ".join(f"`{variant}`" for variant in VARIANTS)
    assert f"| `variant` | which question of the item: {named} |" in card
    assert "| `pair_id` | id shared by the questions of an item |" in card
    assert "| color | counterfactual3 | choice | 1 |" in card and "original" not in card
    files = {"test": str(tmp_path / "questions" / "*.parquet")}
    loaded = datasets.load_dataset("parquet", data_files=files, cache_dir=str(tmp_path / "cache"))["test"]
    assert loaded["variant"] == [row["variant"] for row in sorted(ROWS, key=lambda row: row["question_id"])]
    assert loaded[0]["image"].size == (8, 8) and loaded[0]["choices"] == ["two", "four"]


def test_lmms_eval_gets_prompts_and_scores_of_whatif(tmp_path: Path) -> None:
    file = write_exported_task(ROWS, Pictures(IMAGES), tmp_path, name="ours", strategy="cot")
    text = file.read_text(encoding="utf-8").replace("!function ", "")
    metrics = [metric["metric"] for metric in yaml.safe_load(text)["metric_list"]]
    assert metrics == ["accuracy_original", "accuracy_counterfactual", "pair_accuracy"]
    documents = pq.read_table(tmp_path / "test.parquet").to_pylist()
    assert [document["question_id"] for document in documents] == sorted(row["question_id"] for row in ROWS)
    for document in documents:
        assert "  B:four\nLet's think step by step." in lmms_eval_utils.doc_to_text(document)
        scored = lmms_eval_utils.process_results_of_pairs(document, [["Not B. Answer: A"]])
        assert set(scored) < set(metrics) and {found["answer"] for found in scored.values()} == {"A"}
    images = datasets.load_dataset("parquet", data_files=str(tmp_path / "test.parquet"), cache_dir=str(tmp_path / "c"))
    assert images["train"][0]["image"].size == (8, 8)


def test_lmms_eval_gets_questions_with_other_numbers_of_images(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "image_ids": [image["image_id"] for image in IMAGES]}, {**ROWS[1], "image_ids": []}]
    write_exported_task(rows, Pictures(IMAGES), tmp_path, name="ours", strategy="direct")
    assert sorted(map(len, pd.read_parquet(tmp_path / "test.parquet")["images"])) == [0, 2]


def test_vlmevalkit_stores_an_image_once_an_item(tmp_path: Path) -> None:
    write_vlmevalkit(ROWS, Pictures(IMAGES), tmp_path / "ours.tsv", strategy="direct")
    table = pd.read_csv(tmp_path / "ours.tsv", sep="\t")
    assert list(table["variant"]) == [*VARIANTS, *VARIANTS]
    assert sum(len(str(image)) > 64 for image in table["image"]) == 2
    assert list(table["B"].unique()) == ["four"] and "C" not in table.columns


@pytest.mark.parametrize(
    ("strategy", "why"), [("one-shot", "shows examples"), ("ccot", "asks in several turns"), ("multi-turn", "asks in")]
)
def test_a_strategy_of_more_than_one_message_is_not_exported(tmp_path: Path, strategy: str, why: str) -> None:
    for write in (
        lambda: write_exported_task(ROWS, Pictures(IMAGES), tmp_path / "a", name="a", strategy=strategy),
        lambda: write_vlmevalkit(ROWS, Pictures(IMAGES), tmp_path / "a.tsv", strategy=strategy),
    ):
        with pytest.raises(WhatifError, match=f"strategy {strategy}: {why}.*; use one of cot, direct, plain$"):
            write()
    assert list(tmp_path.iterdir()) == []


def test_a_set_is_audited_and_compared_by_its_own_variants() -> None:
    found = audit(ROWS, folds=2, seed=0)
    assert [one.variant for one in found[:: len(RULES)]] == list(VARIANTS)
    text = compare_markdown(summary(ROWS), summary(ROWS[:5]))
    headings = text.splitlines()[2].split(" | ")
    assert headings[1:3] == ["basic, ours", "basic, released"] and len(headings) == 11
