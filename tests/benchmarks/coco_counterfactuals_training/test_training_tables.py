"""Tables 3 to 6, 11 and 12: every reported number is there, and ours have their tests beside them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.benchmarks.coco_counterfactuals_training.trained import (
    classified,
    inputs,
    losses,
    made_table,
    pair,
    places,
    results,
    retrieved,
)
from whatif.benchmarks.coco_counterfactuals_training.recognition import data_set_names
from whatif.benchmarks.coco_counterfactuals_training.reported import reported
from whatif.benchmarks.coco_counterfactuals_training.results import Results, Size, recognitions, searches, trainings
from whatif.benchmarks.coco_counterfactuals_training.schemas import CLASSIFIED, PRE_TRAINED, RETRIEVED
from whatif.engine.artifacts.writer import write_artifact
from whatif.results.reporting.rendering import to_latex, to_markdown
from whatif.results.reporting.table import Table, from_csv, to_csv
from whatif.scoring.statistics import holm, wilson
from whatif.scoring.statistics.seed_tests import gain

NAMES = {"clip": "CLIP (tiny)"}
SEEDS = ("seed-107", "seed-108", "seed-109")
CLASSES = {"cifar-10": ["cat", "dog"], "colours": ["red", "blue"]}
TABLES = ("table3", "table4", "table5", "table6", "table11", "table12")


def classes(of: dict[str, list[str]]) -> list[dict[str, Any]]:
    return [{"data_set": data_set, "name": name} for data_set, names in of.items() for name in names]


def results_of(
    folder: Path, *seeds: str, imported: list[dict[str, Any]] | None = None, **read: list[dict[str, Any]]
) -> Results:
    of = [place for seed in (PRE_TRAINED, *seeds) for place in places("clip", seed)]
    ranked = [row for place in of for row in retrieved(place, ["other", "own"])]
    labelled = [*(row for place in of for row in classified(place)), *(imported or [])]
    paths = [folder / "ranks.parquet", folder / "labels.parquet"]
    for path, table, rows in zip(paths, (RETRIEVED, CLASSIFIED), (ranked, labelled), strict=True):
        write_artifact(path, table, sorted(rows, key=lambda row: [str(row[key]) for key in table.key]))
    sizes = {("ms-coco", "published"): Size(8, 0), ("base", "published"): Size(8, 4)}
    kept = [row for place in of if place["mixture"] != PRE_TRAINED for row in losses(place)]
    task = inputs(**{"pairs": [pair("p0")], "classes": classes(CLASSES), "losses": kept, **read})
    found, recognised = searches(paths[:1]), recognitions(paths[1:])
    return results(NAMES, task=task, searches=found, recognitions=recognised, sizes=sizes)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return results_of(tmp_path_factory.mktemp("three"), *SEEDS)


@pytest.fixture(scope="module")
def tables(trained: Results) -> dict[str, Table]:
    return {name: made_table(name, trained) for name in TABLES}


def chosen(table: Table, **wanted: str) -> pd.DataFrame:
    frame = table.frame
    for name, text in wanted.items():
        frame = frame[frame[name] == text]
    return frame


def one(table: Table, **wanted: str) -> dict[str, Any]:
    (row,) = chosen(table, **wanted).to_dict("records")
    return row


@pytest.mark.parametrize("number", [3, 4, 5, 6, 11, 12])
def test_every_reported_number_is_in_our_table(number: int, tables: dict[str, Table]) -> None:
    table = tables[f"table{number}"]
    found = chosen(table, source="reported")
    columns = {"train_set", "n_train", "pct_cf", "n_train_cf"} if number != 6 else set()
    shown = {"n_train": "train_samples", "pct_cf": "counterfactual_share", "n_train_cf": "counterfactual_samples"}
    retrieved_item = {"text-retrieval": "text", "image-retrieval": "image", "both": "both"}
    printed = 0
    for row in reported(number):
        wanted = {"data_set": row["dataset"], **{shown.get(one, one): row[one] for one in columns & set(row)}}
        if number in (4, 6):
            wanted["measure"] = {"accuracy_change": "change", "label_frequency": "label frequency"}.get(
                row["metric"], row["metric"]
            )
        else:
            wanted |= {"measure": "recall", "k": row["metric"].removeprefix("recall@")}
            wanted["retrieved"] = retrieved_item[row["direction"]]
        if number == 6:
            wanted["mixture"] = row["train_variant"].replace("none", "")
        else:
            wanted["name"] = row["system"]
        cell = one(table, source="reported", **wanted)
        assert (cell["published"], cell["value"]) == (row["value"], float(row["value"]))
        printed += 1
        if row["std"]:
            deviation = one(table, source="reported", **{**wanted, "measure": "deviation"})
            assert deviation["published"] == row["std"]
            printed += 1
    assert printed == int((found["published"] != "").sum())


@pytest.mark.parametrize("number", [3, 4, 5, 6, 11, 12])
def test_a_table_is_rendered_and_read_again(number: int, tables: dict[str, Table]) -> None:
    table = tables[f"table{number}"]
    text = to_markdown(table)
    assert max(map(len, text.splitlines())) <= 100
    assert r"\toprule" in to_latex(table)
    pd.testing.assert_frame_equal(from_csv(to_csv(table.frame)), table.frame)


def test_our_rows_have_mean_deviation_interval_and_sizes(tables: dict[str, Table]) -> None:
    of = {"source": "ours", "mixture": "base", "retrieved": "both", "k": "mean"}
    row = one(tables["table3"], measure="recall", **of)
    assert (row["value"], row["n"], row["train_samples"], row["counterfactual_share"]) == (72.0, 3, "8", "50")
    assert (row["low"], row["high"]) == (pytest.approx(69.5159), pytest.approx(74.4841))
    assert one(tables["table3"], measure="deviation", **of)["value"] == 1.0
    before = one(tables["table3"], measure="recall", **{**of, "mixture": PRE_TRAINED})
    assert before["value"] == 50.0 and pd.isna(before["low"])


def test_gains_are_tested_against_training_without_counterfactuals(tables: dict[str, Table]) -> None:
    by_seed = {"a": 71.0, "b": 72.0, "c": 73.0}
    tested = gain(by_seed, {"a": 69.0, "b": 70.0, "c": 71.0})
    of = {"source": "ours", "mixture": "base", "retrieved": "both", "k": "mean"}
    row = one(tables["table3"], measure="recall", **of)
    assert row["p"] == pytest.approx(tested.p, rel=1e-3)
    assert one(tables["table3"], measure="gain", **of)["value"] == 2.0
    every = chosen(tables["table3"], source="ours", measure="recall").dropna(subset=["p"])
    assert set(every["mixture"]) == {"base", "medium", "all"} and len(every) == 21
    assert every["p_holm"].tolist() == pytest.approx(holm(every["p"].tolist()).p_values, rel=1e-3)
    compared = {"table5": {"withheld-counterfactuals"}, "table11": {"correct"}}
    for name, mixtures in compared.items():
        assert set(chosen(tables[name], source="ours", measure="gain")["mixture"]) == mixtures


def test_intervals_are_printed_for_means_only_and_a_p_value_for_each_number(tables: dict[str, Table]) -> None:
    for name, cells in {"table3": 7, "table4": 8, "table5": 7, "table11": 7, "table12": 7}.items():
        *_, means, tests, each = tables[name].views
        printed = [column for view in tables[name].views for column in view.columns if column.interval]
        assert printed == [column for column in means.columns if column.interval] and len(printed) == 2
        assert {column.where.get("retrieved", column.where.get("data_set")) for column in printed} <= {"both", "mean"}
        assert [column.number for column in tests.columns] == ["p", "p_holm", "p", "p_holm"]
        assert {column.number for column in each.columns} == {"p"} and len(each.columns) == cells
    text = " ".join(to_markdown(tables["table3"]).split())
    assert "72.00 (69.52 to 74.48)" in text and "+2.00 (+2.00 to +2.00)" in text


def test_labels_with_the_same_first_name_are_counted_once(trained: Results) -> None:
    counted = {}
    for names in (["maillot"], ["maillot", "maillot, tank suit"]):
        row = {**pair("p0"), "caption_0": "a red thing", "caption_1": "a red maillot"}
        table = made_table("table6", replace(trained, task=inputs(pairs=[row], classes=classes({"cifar-10": names}))))
        counted[len(names)] = one(table, source="ours", measure="label frequency", rule="published")["value"]
    assert counted == {1: 1.0, 2: 1.0}


def test_the_printed_underlines_agree_with_the_tests_of_the_printed_numbers(tables: dict[str, Table]) -> None:
    counted = {"table3": (9, 6, 6), "table4": (5, 11, 5), "table12": (6, 8, 7)}
    for name, (under, plain, best) in counted.items():
        told = " ".join(tables[name].views[0].note.split())
        assert f"{under} of the {under} underlined numbers are, and {plain} of the {plain} plain ones are not." in told
        assert f"{best} are the best of their columns" in told
    row = one(tables["table4"], source="reported", mixture="base", data_set="CIFAR10", measure="accuracy")
    assert row["p"] == pytest.approx(0.0034, abs=5e-5) and row["n"] == 25


def test_contradictions_of_the_paper_are_told(tables: dict[str, Table]) -> None:
    notes = {name: " ".join(table.views[0].note.split()) for name, table in tables.items()}
    assert "10.50 (Flava); its text says 11.47" in notes["table5"].replace("and ", "")
    assert "2 of the 18 reported changes do not follow" in notes["table6"]
    assert "CIFAR100 medium 2.63 (Table 4: +2.71)" in notes["table6"]
    assert "Food101 all -2.11 (Table 4: -2.17)" in notes["table6"]
    assert "by 5.99 points in total, and by 1.23 if text and image are exchanged" in notes["table11"]
    assert "68.25, below the 69.23" in notes["table12"]
    assert "The reported mean of the set all is 78.80; its row gives 78.79." in notes["table4"]


def test_table_6_has_the_printed_correlation_and_ours(tables: dict[str, Table], trained: Results) -> None:
    row = one(tables["table6"], source="reported", measure="correlation")
    assert (round(row["value"], 3), round(row["p"], 3), row["n"]) == (0.522, 0.026, 18)
    assert row["low"] < row["value"] < row["high"]
    ours = chosen(tables["table6"], source="ours")
    assert set(ours[ours["measure"] == "correlation"]["rule"]) == {"published", "ours"}
    change = one(tables["table6"], source="ours", mixture="medium", data_set="CIFAR10", measure="change")
    assert change["value"] == 30.0 and change["low"] < 30 < change["high"]
    frequency = one(tables["table6"], source="ours", data_set="CIFAR10", measure="label frequency", rule="ours")
    assert frequency["value"] == 1.0
    # Without pairs, all frequencies are 0, and nothing correlates.
    alone = made_table("table6", replace(trained, task=inputs(classes=classes(CLASSES))))
    assert chosen(alone, source="ours", measure="correlation").empty


def test_micro_and_macro_accuracy_and_their_mean_over_data_sets(tables: dict[str, Table]) -> None:
    of = {"source": "ours", "mixture": "all"}
    assert one(tables["table4"], measure="accuracy", data_set="CIFAR10", **of)["value"] == 65.0
    assert one(tables["table4"], measure="macro accuracy", data_set="mean", **of)["value"] == pytest.approx(36.1111)
    assert data_set_names(["cifar10", "food-101", "things"]) == {
        "cifar10": "CIFAR10",
        "food-101": "Food101",
        "things": "things",
    }


def test_imported_predictions_are_further_rows(tmp_path: Path) -> None:
    place = {"model": "Theirs", "mixture": "base", "division": "published", "seed": "seed-107"}
    rows = [{**row, "data_set": "cifar10"} for row in classified(place, ["cifar-10"])]
    table = made_table("table4", results_of(tmp_path, "seed-107", imported=rows))
    found = chosen(table, name="Theirs", measure="accuracy")
    assert found["data_set"].tolist() == ["CIFAR10"] and found["value"].tolist() == [61.0]
    assert found["train_samples"].tolist() == [""]
    assert found["source"].tolist() == ["recomputed"] and found["seeds"].tolist() == ["one seed"]
    ends = wilson(61, 100)
    assert found[["low", "high"]].to_numpy().tolist() == [[round(100 * ends.low, 4), round(100 * ends.high, 4)]]
    assert found["n"].tolist() == [100]
    markdown = to_markdown(table)
    assert "one seed" in markdown and "the paper has 25 (COCO" in " ".join(markdown.split())


def test_imported_predictions_of_several_seeds_have_intervals_over_seeds(tmp_path: Path) -> None:
    of = {"model": "Theirs", "mixture": "base", "division": "published"}
    rows = [{**row, "data_set": "cifar10"} for seed in SEEDS for row in classified({**of, "seed": seed}, ["cifar-10"])]
    table = made_table("table4", results_of(tmp_path, "seed-107", imported=rows))
    found = one(table, name="Theirs", measure="accuracy")
    assert (found["value"], found["n"], found["seeds"]) == (62.0, 3, "3 seeds")
    assert found["high"] - found["low"] == pytest.approx(2 * 4.3027 / 3**0.5, abs=1e-3)


def test_imported_predictions_are_in_table_6_with_the_frequencies_of_their_own_classes(tmp_path: Path) -> None:
    rows = [
        {**row, "data_set": "cifar10"}
        for mixture, seed in ((PRE_TRAINED, PRE_TRAINED), ("base", "seed-107"))
        for row in classified(
            {"model": "Theirs", "mixture": mixture, "division": "published", "seed": seed}, ["cifar-10"]
        )
    ]
    theirs = classes({"cifar10": ["bird"]})
    table = made_table("table6", results_of(tmp_path, "seed-107", imported=rows, imported_classes=theirs))
    of = {"data_set": "CIFAR10", "measure": "label frequency", "rule": "ours"}
    assert one(table, name="Theirs", **of)["value"] == 0.0
    assert one(table, name="CLIP (tiny)", **of)["value"] == 1.0  # not that of both lists together, nor of theirs
    change = one(table, name="Theirs", measure="change", mixture="base")
    assert (change["value"], change["source"]) == (21.0, "recomputed")
    assert set(chosen(table, name="Theirs")["source"]) == {"recomputed"}
    assert set(chosen(table, name="CLIP (tiny)")["source"]) == {"ours"}


def test_one_seed_has_means_but_no_deviation_and_no_test(tmp_path: Path) -> None:
    found = results_of(tmp_path, "seed-108")
    for table in (made_table(name, found) for name in TABLES):
        ours = chosen(table, source="ours")
        if table.name != "table6":
            assert "deviation" not in set(ours["measure"]) and ours["p"].isna().all()
            assert {"gain"} <= set(ours["measure"])
        assert ours[ours["measure"] != "correlation"]["low"].isna().all()
        to_markdown(table)


def test_a_model_that_was_trained_on_some_mixtures_has_only_their_rows(trained: Results) -> None:
    some = {weights: found for weights, found in trained.searches.items() if weights.mixture == "medium"}
    frame = made_table("table3", results(NAMES, searches=some)).frame
    assert set(frame[frame["source"] == "ours"]["measure"]) == {"recall", "deviation"}


def test_the_step_that_was_kept_and_its_loss_by_seed(trained: Results) -> None:
    table = made_table("trainings", trained)
    of = {"mixture": "base", "division": "published"}
    assert one(table, seed="seed-109", measure="best step", **of)["value"] == 40
    assert one(table, seed="seed-109", measure="steps", **of)["value"] == 60
    assert one(table, seed="seed-109", measure="validation loss", **of)["value"] == pytest.approx(1.0)
    assert one(table, seed="seed-109", measure="first validation loss", **of)["value"] == pytest.approx(1.5)
    mean = one(table, seed="mean", measure="mean validation loss", **of)
    assert mean["value"] == pytest.approx(0.9) and mean["low"] < 0.9 < mean["high"] and mean["n"] == 3


def test_of_several_rows_marked_as_best_the_last_counts() -> None:
    place = {"model": "clip", "mixture": "base", "division": "published", "seed": "seed-1"}
    rows = [
        {**place, "step": step, "validation_loss": loss, "best": best}
        for step, loss, best in ((0, None, False), (10, 3.0, True), (20, 2.0, True), (30, 2.5, False))
    ]
    (kept,) = trainings(rows).values()
    assert kept == (20, 30, 3.0, 2.0)


def test_the_leak_is_the_published_division_minus_the_leak_free_one(trained: Results) -> None:
    table = made_table("leak", trained)
    assert set(table.frame["mixture"]) == {"withheld-counterfactuals"}
    assert one(table, measure="mean recall", division="published")["value"] == 76.0
    assert one(table, measure="captions searched", division="leak-free")["value"] == 100
    assert one(table, measure="leak of the mean recall")["value"] == 8.0
    loss = one(table, measure="leak of the validation loss")
    assert loss["value"] == pytest.approx(-0.2) and loss["n"] == 3
    assert made_table("leak", results(NAMES)).frame.empty
