"""The tables of MuCR, on answers for which the numbers are known, and with every reported number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from tests.benchmarks.mucr.answered_items import Row, answers, asked_with_others, declared, items, prediction, results
from tests.frames import check, has, printed, row, value
from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.reported import TABLES
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.benchmarks.mucr.steps import TABLES as MODULES
from whatif.engine.looked_up import looked_up
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.rendering import to_markdown

ASKED = items()
NAMES = {"own": "Our model", "llava": "LLaVA-v1.6", "reader": "Reader", "random": "Random"}
STRATEGIES = ("direct", "vccot")
OWN, THOUGHT, LLAVA, READER, RANDOM = (
    ("own", "direct"),
    ("own", "vccot"),
    ("llava", "direct"),
    ("reader", "direct"),
    ("random", "direct"),
)


def number(of: Row) -> int:
    """The place of an item's pair in its group, from 0 to 3."""
    return int(of["pair_id"][-1])


def is_main(of: Row) -> bool:
    return asked_with_others(of) and of["metric"] in SCORES


def made(asked: Sequence[Row] = ASKED, **others: Any) -> Mucr:
    """Our model is right in text, and about two pairs of each group in images; with vccot about three.

    LLaVA-v1.6 is right about half of the pairs, and about all with hints; the reader is asked in text only.
    """
    systems = {
        OWN: answers(asked, OWN, lambda of: of["form"] == "text" or number(of) < 2),
        THOUGHT: answers(filter(asked_with_others, asked), THOUGHT, lambda of: number(of) < 3),
        LLAVA: answers(asked, LLAVA, lambda of: number(of) % 2 == 0 or of["hints"] or of["form"] == "separate"),
        READER: answers([of for of in asked if of["form"] == "text"], READER, lambda of: number(of) == 0),
        RANDOM: answers(asked, RANDOM, lambda of: number(of) == 1),
    }
    return results(asked, systems, NAMES, STRATEGIES, **others)


FOUND = made()


def label_columns(of: Row, table: str) -> dict[str, str]:
    """Where a reported number is to be found, by the fields of its CSV."""
    forms = {"Form-1": "composite", "Form-2": "cause-and-composite", "Form-3": "separate"}
    by_table = {
        "1": lambda: {"form": forms[of["visual_form"]]},
        "2": lambda: {"hints": of["text_hints"]},
        "3": lambda: {"strategy": of["strategy"]},
        "4": lambda: {"state": of["fine_tuning"]},
        "6": lambda: {"form": "text" if of["form"] == "text" else "composite"},
        "7": lambda: {"form": "text" if of["form"] == "text" else "composite"},
    }
    return by_table[table]()


def test_all_180_reported_numbers_are_at_their_place() -> None:
    total = 0
    for table in TABLES:
        found = declared(f"table{table}", FOUND)
        check(found)
        rows = published("whatif.benchmarks.mucr", f"table{table}")
        for one in rows:
            labels = {"name": one["system"], "source": "reported", "metric": one["metric"], "measure": "score"}
            cell = row(found, **labels, **label_columns(one, table))
            assert (cell["value"], cell["published"]) == (float(one["value"]), one["value"])
        assert len(found.frame[found.frame["published"] != ""]) == len(rows)
        total += len(rows)
    assert total == 180


def test_text_and_images_are_beside_each_other_with_intervals_by_group() -> None:
    made6 = declared("table6", FOUND)
    ours = row(made6, model="own", form="composite", metric="CP", measure="score")
    assert (ours["value"], ours["n"]) == (50.0, 24)
    # Every group has the same score, so the 24 pairs are worth the six groups.
    assert (ours["low"], ours["high"]) == (pytest.approx(18.76, abs=0.01), pytest.approx(81.24, abs=0.01))
    assert value(made6, model="own", form="text", metric="CP", measure="score") == 100.0
    assert not has(made6, model="reader", form="composite")
    lines = printed(made6)
    names = [line["Model"] for line in lines]
    assert names[names.index("LLaVA-v1.6") + 1] == "LLaVA-v1.6"  # ours follows the reported one
    assert lines[names.index("Our model")]["EXP img."] == "50.0"
    assert "180 of its 180 numbers are multiples of 0.25" in made6.views[0].note
    assert "75 for the 75.50 of GPT-o1 in CP; 87 for the 87.50 of GPT-o1 in C2E" in made6.views[0].note
    assert "24 in C2E, 24 in CP, 24 in EXP, of 6 groups" in made6.views[1].note
    assert not has(made6, strategy="vccot")


def test_the_drop_to_images_is_paired_by_pair_and_tested_by_group() -> None:
    found = declared("gap", FOUND)
    check(found)
    assert set(found.frame["measure"]) == {"drop"} and "Drop" in [column.heading for column in found.views[1].columns]
    ours = row(found, model="own", metric="EXP")
    assert (ours["value"], ours["n"]) == (50.0, 24)
    assert ours["p"] == 2 * 0.5**6  # six groups that change in the same way
    # Of four rows of three real models; the reader is not asked in images, and a baseline does not count.
    assert ours["p_holm"] == 8 * ours["p"]
    assert row(found, model="own", metric="all")["n"] == 72
    assert found.frame[found.frame["model"] == "random"]["p_holm"].isna().all()
    assert found.frame[found.frame["model"] == "random"]["p"].notna().all()
    assert not has(found, model="reader")
    assert value(found, name="GPT-o1", metric="CP") == 13.5
    assert value(found, name="MiniGPT4-v2", metric="C2E") == -4.25
    gained = "OpenFlamingo-v2 in EXP (+0.75), MiniGPT4-v2 in C2E (+4.25), InstructBLIP in EXP (+1.00)"
    assert gained in found.views[0].note
    assert found.views[1].note.endswith("once for each attempt.")
    assert declared("gap", made(rule="sum")).views[1].note.endswith("attempt. Ranked options are compared by sum.")


def test_forms_hints_and_strategies_change_the_same_pairs() -> None:
    forms, hints, strategies = declared("table1", FOUND), declared("table2", FOUND), declared("table3", FOUND)
    for found in (forms, hints, strategies):
        check(found)
    change = row(forms, model="llava", form="separate", metric="C2E", measure="change")
    assert (change["value"], change["n"]) == (50.0, 24)
    assert value(forms, model="llava", form="strip", metric="C2E", measure="change") == 0.0
    assert value(forms, model="llava", form="strip", metric="C2E", measure="score") == 50.0
    assert "70.50 for Gemini-1.5 in EXP, where Table 6 has 70.75" in forms.views[0].note
    assert "+1.50 to +17.00" in forms.views[2].note and "2 of 9 scores" in forms.views[2].note
    assert value(hints, model="llava", hints="with", metric="CP", measure="change") == 50.0
    assert value(hints, model="own", hints="with", metric="CP", measure="change") == 0.0
    assert value(strategies, model="own", strategy="vccot", metric="EXP", measure="change") == 25.0
    assert not has(strategies, strategy="direct", measure="change")
    assert "highest score in C2E and CP" in strategies.views[0].note
    assert "-1.25, -0.50, -2.00" in strategies.views[0].note


def tuned(model: str, seed: int, asked: Sequence[Row] = ASKED) -> list[Row]:
    system = (f"{model}-tuned-seed-{seed}", "direct")
    return answers(filter(is_main, asked), system, lambda of: number(of) <= seed + 1)


def test_fine_tuning_has_a_row_for_each_seed_and_their_mean() -> None:
    found = declared("table4", made(tuned={"llava": {f"seed-{seed}": tuned("llava", seed) for seed in (0, 1)}}))
    check(found)
    place = {"model": "llava", "metric": "CP", "measure": "score"}
    scores = [value(found, **place, state="after", seed=seed) for seed in ("seed-0", "seed-1", "mean")]
    assert scores == [50.0, 75.0, 62.5]
    assert value(found, **place, state="before") == 50.0
    mean = row(found, model="llava", metric="CP", measure="change", seed="mean")
    assert (mean["value"], mean["n"]) == (12.5, 48)
    assert not has(found, model="own")
    assert "4 of its 9 scores rise" in found.views[0].note
    assert "None of our models was fine-tuned." in declared("table4", FOUND).views[0].note


def test_models_that_are_asked_in_text_alone_are_named() -> None:
    found = declared("table7", FOUND)
    assert value(found, model="reader", form="text", metric="C2E") == 25.0
    assert "Ours without a row in images are asked in text only: Reader." in found.views[0].note
    assert "+2.00 in C2E, -2.00 in CP, +2.00 in EXP" in found.views[0].note


def attempts(asked: Sequence[Row] = ASKED) -> list[Row]:
    """Two attempts: the second is right about all questions, the first about three pairs of each group."""
    return [
        {"question_id": of["question_id"], "attempt": name, "answer": "A", "correct": number(of) < 3 or name == "b"}
        for name in ("a", "b")
        for of in asked
        if of["form"] == "text" or is_main(of)
    ]


def test_people_are_the_mean_of_their_attempts() -> None:
    results_ = made(people=attempts())
    found = declared("table6", results_)
    check(found)
    place = {"name": "Human", "source": "ours", "form": "composite", "metric": "C2E"}
    mean = row(found, **place, measure="score")
    assert (mean["value"], mean["n"]) == (87.5, 48)
    assert mean["low"] < 87.5 < mean["high"]
    assert [value(found, **place, measure=f"{one} attempt") for one in ("lowest", "highest")] == [75.0, 100.0]
    assert value(found, name="Human", form="text", measure="attempts") == 2
    of_gap = row(declared("gap", results_), name="Human", source="ours", metric="C2E")
    assert of_gap["value"] == 0.0 and pd.isna(of_gap["p_holm"])
    assert printed(declared("gap", results_), 1)[-1]["Holm p"] == ""
    assert results_.headline["Human"]["mean"]["multimodal"] == 87.5


def test_styles_context_and_languages() -> None:
    results_ = made()
    by_style, by_context, by_language = (
        declared("styles", results_),
        declared("context", results_),
        declared("language", results_),
    )
    for found in (by_style, by_context, by_language):
        check(found)
    assert Counter(by_style.frame["style"][by_style.frame["measure"] == "score"]) == dict.fromkeys(
        ("photograph", "comic", "black-white"), 3
    )
    assert row(by_style, model="own", style="comic", measure="score")["n"] == 24
    assert row(by_style, model="own", style="comic", measure="change")["value"] == 0.0
    assert value(by_context, model="random", metric="context") == 25.0
    assert not has(by_context, model="reader")
    assert "where CLIP chose, a score says how far a model agrees with CLIP" in by_context.views[0].note
    assert value(by_language, model="own", form="text", language="zh", measure="score") == 100.0
    assert value(by_language, model="own", form="composite", language="zh", measure="change") == 0.0
    assert not has(by_language, model="reader", form="composite")


def test_a_set_with_two_forms_only_has_plain_tables() -> None:
    few = [
        of
        for of in items(2)
        if of["form"] in ("text", "composite")
        and not of["hints"]
        and of["language"] == "en"
        and of["metric"] != "context"
        and (of["mixture"] or of["form"] == "text")
    ]
    found = results(few, {OWN: answers(few, OWN, lambda of: True)}, NAMES)
    for name in (*(f"table{table}" for table in TABLES), "gap", "styles"):
        check(declared(name, found))
    for name in ("context", "language"):
        empty = declared(name, found)
        assert empty.frame.empty and "No such questions were asked." in to_markdown(empty)
    assert not has(declared("table2", found), source="ours") and not has(declared("table1", found), measure="change")
    assert row(declared("gap", found), model="own", metric="all")["value"] == 0.0


def test_a_set_without_explanations_has_no_numbers_over_all_metrics() -> None:
    few = [of for of in ASKED if of["metric"] != "EXP"]
    found = made(few)
    assert not has(declared("gap", found), model="own", metric="all")
    assert "Pairs (C2E)" in printed(declared("table3", found))[0], "other metrics may have another number"
    numbers = found.headline["own"]["direct"]
    assert "text" not in numbers and numbers["text_cp"] == 100.0
    assert not any(",ours," in line for line in points_of(found))


def points_of(found: Mucr) -> list[str]:
    content: bytes = looked_up(MODULES.figures["accuracy.csv"]).draw(found, {"table6": declared("table6", found)})
    return content.decode().splitlines()


def test_headline_and_points() -> None:
    numbers = made(tuned={"llava": {"seed-0": tuned("llava", 0)}}).headline
    assert numbers["own"]["direct"] == {
        **{f"{what}_{metric.lower()}": value for metric in SCORES for what, value in VALUES.items()},
        **VALUES,
        "n": 24,
    }
    assert numbers["own"]["vccot"]["multimodal"] == 75.0 and "gap" not in numbers["own"]["vccot"]
    assert numbers["llava-tuned"]["mean"]["multimodal_c2e"] == 50.0
    points = points_of(FOUND)
    assert points[:2] == ["model,name,source,text,images", "GPT-o1,GPT-o1,reported,87.5,75.8333"]
    assert [line.split(",")[2] for line in points[1:]] == ["reported"] * 14 + ["ours"] * 3


def test_a_rule_that_needs_images_has_no_scores_in_text() -> None:
    def scored(of: Row) -> Row:
        known = None if of["form"] == "text" else -2.0
        options = [{"log_likelihood": -1.0 - place, "tokens": 1, "mean": -1.0 - place} for place in range(4)]
        fields = {"at_most": False, "without_image": known, "without_prompt": -2.0}
        return prediction(of["question_id"], OWN, right=True, choice_scores=[{**one, **fields} for one in options])

    found = results(ASKED, {OWN: list(map(scored, ASKED))}, NAMES)
    made_rules = declared("rules", found)
    check(made_rules)
    assert value(made_rules, rule="mean", measure="CP, text") == 100.0
    assert value(made_rules, rule="minus-without-image", measure="CP, images") == 100.0
    assert not has(made_rules, rule="minus-without-image", measure="CP, text")


VALUES = {"text": 100.0, "multimodal": 50.0, "gap": 50.0}


def test_an_unanswered_question_is_wrong() -> None:
    rows = [
        prediction(of["question_id"], OWN, right=True, **({"status": "none", "answer": None} if number(of) else {}))
        for of in ASKED
    ]
    found = results(ASKED, {OWN: rows}, NAMES)
    assert value(declared("table6", found), model="own", form="text", metric="C2E", measure="score") == 25.0
