"""The questions: how often and how each item is asked, with which options, in which order, and what is not asked."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

import pytest

from tests.benchmarks.mucr.groups import World, asked, make, prepare
from tests.benchmarks.mucr.rows import Row
from tests.projects import Project
from whatif.benchmarks.mucr.askable import (
    EQUAL_OPTIONS,
    FEW_SIBLINGS,
    INCOMPLETE,
    NO_CUE,
    NO_DESCRIPTION,
    NO_EXPLANATION,
    NO_IMAGE,
)
from whatif.benchmarks.mucr.schemas import STYLES
from whatif.engine.errors import WhatifError

pytestmark = pytest.mark.slow

FORMS = ("composite", "cause-and-composite", "separate", "strip")
ONE = {"train_share": 0.0}
Plain = tuple[Project, World, dict[str, Row]]


def made(project: Project, world: World, **settings: Any) -> dict[str, Row]:
    """The questions of the test groups by id, with the columns of their items; counts in are those out and rejected."""
    make(prepare(project, world, **settings))
    items = {row["question_id"]: row for row in asked(project, "items")}
    rows = {row["question_id"]: {**items[row["question_id"]], **row} for row in asked(project)}
    training = {row["question_id"] for row in asked(project, "training")}
    unasked = {row["item_id"] for row in asked(project, "unasked")}
    assert set(items) == set(rows) | training and not set(rows) & training and not unasked & set(items)
    return rows


def reasons(project: Project) -> dict[str, str]:
    return {row["item_id"]: row["reason"] for row in asked(project, "unasked")}


def details(project: Project, start: str) -> set[str]:
    return {row["detail"] for row in asked(project, "unasked") if row["item_id"].startswith(start)}


def options(row: Row) -> list[str]:
    names: list[str] = json.loads(row["provenance"])["options"]
    return names


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    """The questions of three whole groups; no test changes them."""
    project, world = Project(tmp_path_factory.mktemp("plain")), World(3)
    return project, world, made(project, world, **ONE)


def test_each_pair_is_asked_in_every_way(plain: Plain) -> None:
    project, _, rows = plain
    of_pair = [row for row in rows.values() if row["pair_id"] == "g001-2"]
    (style,) = {row["style"] for row in of_pair if row["mixture"]}
    others = [other for other in STYLES if other != style]
    expected = {f"g001-2-{metric}-text" for metric in ("c2e", "cp", "exp")}
    expected |= {f"g001-2-{metric}-{form}-{style}" for metric in ("c2e", "cp", "exp") for form in FORMS}
    expected |= {f"g001-2-{metric}-composite-hints-{style}" for metric in ("c2e", "cp", "exp")}
    expected |= {f"g001-2-c2e-composite-{other}" for other in others}
    expected |= {"g001-2-c2e-text-zh", f"g001-2-c2e-composite-zh-{style}", f"g001-2-context-composite-{style}"}
    assert {row["question_id"] for row in of_pair} == expected
    assert len(rows) == 12 * len(expected) and reasons(project) == {}
    assert {row["answer_kind"] for row in rows.values()} == {"choice"}
    for row in of_pair:
        assert (row["style"] is None) == (row["form"] == "text") and row["group"] == row["metric"]
        assert row["mixture"] == (row["style"] == style)
        assert row["hints"] == ("hints" in row["variant"]) and (row["language"] == "zh") == ("zh" in row["variant"])
        assert row["generator"] == (None if row["style"] is None else "scenes")
        assert (row["group_id"], row["category"], row["split"]) == ("g001", "object", "test")


def test_the_right_option_is_right_and_the_others_are_those_of_the_metric(plain: Plain) -> None:
    _, world, rows = plain
    images = {row["candidate_id"]: row["image_id"] for row in world.candidates}
    for row in rows.values():
        place, pair = "ABCD".index(row["answer"]), world.pair(row["pair_id"])
        names = options(row)
        if row["metric"] in ("C2E", "EXP"):
            assert names[place] == row["pair_id"]
            assert sorted(names) == [f"{row['group_id']}-{number}" for number in (1, 2, 3, 4)]
        if row["form"] == "separate":
            shown = json.loads(row["provenance"])["candidates"]
            assert row["image_ids"] == [images[name] for name in (shown["cause"], *shown["effects"])]
            assert shown["cause"] == f"{row['pair_id']}-{row['style']}-cause-01"
            right = shown["effects"][place if row["metric"] == "C2E" else 0]
            assert right == f"{row['pair_id']}-{row['style']}-effect-01"
        if row["metric"] == "CP":
            assert row["choices"][place] == pair["cue"] and names[place] == "cue"
            assert sorted(row["choices"]) == sorted([pair["cue"], *pair["false_cues"]])
        if row["metric"] == "EXP":
            assert row["choices"][place] == pair["explanation"]
        if row["metric"] == "C2E" and row["form"] == "text":
            assert row["choices"][place] == pair["effect_caption"]
            assert pair["cause_caption"] in row["question"] and pair["effect_caption"] not in row["question"]
        if row["metric"] in ("C2E", "context") and row["form"] != "text":
            word = "图" if row["language"] == "zh" else "Image"
            assert row["choices"] == [f"{word} {letter}" for letter in "ABCD"]
        if row["metric"] == "context":
            start = f"{row['pair_id']}-{row['style']}-effect-0"
            assert names[place] == f"{start}1" and len(set(names)) == 4
            assert set(names) <= {f"{start}{number}" for number in range(5)}


def test_the_options_have_the_same_order_in_all_variants(plain: Plain) -> None:
    rows = plain[2]
    orders = defaultdict(set)
    for row in rows.values():
        orders[row["pair_id"], row["metric"]].add((row["answer"], *options(row)))
    assert len(orders) == 48 and {len(of_item) for of_item in orders.values()} == {1}
    wrong = Counter("".join(order[1:]) for (_, metric), (order,) in orders.items() if metric == "CP")
    assert len(wrong) > 6, "the wrong options are shuffled"


def test_text_and_every_form_ask_about_the_same_pairs(project: Project) -> None:
    world = World(3)
    world.without_choice("g001-2")
    world.pair("g002-1")["cue"] = None
    rows = made(project, world, **ONE)
    pairs = defaultdict(set)
    for row in rows.values():
        pairs[row["metric"], row["variant"]].add(row["pair_id"])
    for metric in ("C2E", "CP", "EXP"):
        assert len({frozenset(of) for (name, _), of in pairs.items() if name == metric}) == 1, metric


def test_letters_are_balanced_in_each_metric_variant_and_style(project: Project) -> None:
    world = World(5)
    world.without_choice("g004-2", "comic")
    rows = made(project, world, train_share=0.25)
    counts: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for row in rows.values():
        for style in (row["style"], *(["mixture"] if row["mixture"] else [])):
            counts[row["metric"], row["variant"], style][row["answer"]] += 1
    assert len(counts) > 60
    for cell, count in counts.items():
        assert max(count.values()) - min(count[letter] for letter in "ABCD") <= 1, cell
    mixed = Counter(row["style"] for row in rows.values() if row["metric"] == "C2E" and row["variant"] == "strip")
    assert set(mixed) == set(STYLES) and max(mixed.values()) - min(mixed.values()) <= 1


def test_groups_are_divided_and_train_questions_have_their_own_table(project: Project) -> None:
    rows = made(project, World(8), train_share=0.25)
    training = asked(project, "training")
    groups = {row["pair_id"][:4] for row in training}
    assert len(groups) == 2 and not groups & {row["group_id"] for row in rows.values()}
    assert {row["variant"] for row in training} == {"text", *FORMS}
    assert {row["group"] for row in training} == {"C2E", "CP", "EXP"} and len(training) == 8 * 3 * 5
    splits = {row["group_id"]: row["split"] for row in asked(project, "items")}
    assert {group for group, split in splits.items() if split == "train"} == groups


def test_a_sample_of_pairs_is_asked(project: Project, tmp_path: Any) -> None:
    few = made(project, World(3), sample=5, **ONE)
    assert len({row["pair_id"] for row in few.values()}) == 5 and reasons(project) == {}
    more = made(Project(tmp_path / "more"), World(3), sample=9, **ONE)
    assert {row["pair_id"] for row in few.values()} < {row["pair_id"] for row in more.values()}


def test_settings_leave_forms_hints_context_and_languages_out(project: Project) -> None:
    rows = made(project, World(1), forms=["text", "composite"], hints=False, context=False, languages=["en"], **ONE)
    assert {row["variant"] for row in rows.values()} == {"text", "composite"}
    assert {row["metric"] for row in rows.values()} == {"C2E", "CP", "EXP"}


def test_a_pair_without_an_image_in_a_style_is_not_asked_in_it(project: Project) -> None:
    world = World(2)
    world.without_choice("g000-3", "comic")
    rows = made(project, world, **ONE)
    assert reasons(project) == dict.fromkeys(
        (f"g000-{number}-c2e-composite-comic" for number in (1, 2, 3, 4)), NO_IMAGE
    )
    assert details(project, "g000") == {"pair g000-3 has no chosen images in the style comic"}
    mixed = {row["style"] for row in rows.values() if row["group_id"] == "g000" and row["mixture"]}
    assert mixed == {"photograph", "black-white"}, "the mixed style is one that the group has"


def test_a_pair_without_any_image_is_not_asked_at_all(project: Project) -> None:
    world = World(2)
    world.without_choice("g000-3")
    rows = made(project, world, sample=8, **ONE)
    assert "g000-3" not in {row["pair_id"] for row in rows.values()}
    unasked = reasons(project)
    assert set(unasked.values()) == {NO_IMAGE}
    assert {one for one in unasked if one.startswith("g000-3-cp")} == {
        f"g000-3-cp-{variant}" for variant in ("text", *FORMS, "composite-hints")
    }
    of_sibling = {row["metric"] for row in rows.values() if row["pair_id"] == "g000-1"}
    assert of_sibling == {"CP", "EXP", "context"}, "C2E needs the effects of all four"
    assert len([one for one in unasked if one.startswith("g000-1-c2e")]) == 10


def test_a_group_with_three_members_has_no_c2e_and_no_explanations(project: Project) -> None:
    world = World(2)
    world.pairs = [row for row in world.pairs if row["pair_id"] != "g001-4"]
    world.choices = [row for row in world.choices if row["pair_id"] != "g001-4"]
    rows = made(project, world, **ONE)
    assert {row["metric"] for row in rows.values() if row["group_id"] == "g001"} == {"CP", "context"}
    assert set(reasons(project).values()) == {INCOMPLETE} and len(reasons(project)) == 3 * (10 + 6)
    assert details(project, "g001-1") == {"group g001 has 3 pairs; the options are those of 4"}


def test_four_pairs_of_a_broken_group_have_no_c2e_and_no_explanations(project: Project) -> None:
    world = World(2)
    world.pairs = [row | {"group_id": row["group_id"].replace("g001", "broken-1")} for row in world.pairs]
    rows = made(project, world, **ONE)
    assert {row["metric"] for row in rows.values() if row["group_id"] == "broken-1"} == {"CP", "context"}
    assert details(project, "g001-1") == {"group broken-1 is not whole; the rejections of `extract` say why"}


@pytest.mark.parametrize(
    ("column", "value", "metric", "reason", "detail", "pairs"),
    [
        ("cue", None, "CP", NO_CUE, "pair g000-2 has no right cue phrase with three false ones", 1),
        ("false_cues", ["a", "b"], "CP", NO_CUE, "pair g000-2 has no right cue phrase with three false ones", 1),
        ("false_cues", None, "CP", NO_CUE, "pair g000-2 has no right cue phrase with three false ones", 1),
        ("false_cues", ["a", " Falls.", "b"], "CP", EQUAL_OPTIONS, "pair g000-2 has the cue phrase 'falls' twice", 1),
        ("explanation", None, "EXP", NO_EXPLANATION, "pair g000-2 has no explanation", 4),
        ("explanation", "same", "EXP", EQUAL_OPTIONS, "pairs g000-1 and g000-2 have the same explanation", 4),
        ("effect_caption", "same", "C2E", EQUAL_OPTIONS, "pairs g000-1 and g000-2 have the same effect captions", 4),
    ],
)
def test_an_item_without_four_different_options_is_not_asked(  # noqa: PLR0917
    project: Project, column: str, value: Any, metric: str, reason: str, detail: str, pairs: int
) -> None:
    world = World(1)
    world.pair("g000-2")[column] = world.pair("g000-1")[column] if value == "same" else value
    rows = made(project, world, **ONE)
    unasked = asked(project, "unasked")
    assert {(row["reason"], row["detail"]) for row in unasked} == {(reason, detail)}
    assert len({row["item_id"][:6] for row in unasked}) == pairs
    of_group = [row for row in rows.values() if row["group_id"] == "g000"]
    assert len({row["pair_id"] for row in of_group if row["metric"] == metric}) == 4 - pairs
    assert {row["pair_id"] for row in of_group} == {f"g000-{number}" for number in (1, 2, 3, 4)}


def test_equal_effect_images_are_not_asked_in_their_style(project: Project) -> None:
    world = World(1)
    same = world.candidate("g000-1-comic-effect-01")["image_id"]
    world.candidate("g000-2-comic-effect-01")["image_id"] = same
    made(project, world, **ONE)
    assert set(reasons(project).values()) == {EQUAL_OPTIONS} and len(reasons(project)) == 4
    assert details(project, "g000") == {"pairs g000-1 and g000-2 have the same effects as comic"}


def test_context_needs_three_siblings_that_look_different(project: Project) -> None:
    world = World(2, candidates=4)
    for style in STYLES:
        first, second = (world.candidate(f"g000-1-{style}-effect-0{number}") for number in (2, 3))
        second["image_id"] = first["image_id"]
    rows = made(project, world, **ONE)
    ((question, reason),) = reasons(project).items()
    assert question.startswith("g000-1-context-composite-") and reason == FEW_SIBLINGS
    (detail,) = details(project, "g000-1")
    assert detail.endswith("has 2 different images that were not chosen; 3 are the wrong options")
    assert len([row for row in rows.values() if row["metric"] == "context"]) == 7


def test_hints_need_descriptions_and_show_those_of_all_images(project: Project) -> None:
    world = World(1)
    world.descriptions = [row for row in world.descriptions if row["pair_id"] != "g000-4"]
    rows = made(project, world, **ONE)
    unasked = reasons(project)
    assert set(unasked.values()) == {NO_DESCRIPTION}
    assert Counter(one.split("-")[2] for one in unasked) == {"c2e": 4, "cp": 1, "exp": 1}
    described = {row["pair_id"]: row for row in world.descriptions}
    for row in rows.values():
        if not row["hints"]:
            assert "Descriptions" not in row["question"]
            continue
        own = described[row["pair_id"]]
        assert f"Cause: {own['cause_description']}\n" in row["question"]
        if row["metric"] == "C2E":
            for letter, name in zip("ABCD", options(row), strict=True):
                assert f"Image {letter}: {described[name]['effect_description']}\n" in row["question"]
        else:
            assert f"Effect: {own['effect_description']}\n" in row["question"]


def test_the_outputs_are_the_same_in_every_run(project: Project, plain: Plain) -> None:
    made(project, World(3), **ONE)
    first, again = (
        {path: data for path, data in one.everything().items() if "/verify/" in path} for one in (plain[0], project)
    )
    assert len(first) == 6 and first == again  # five outputs, and the choices that were given


def test_a_choice_of_a_candidate_that_does_not_exist_is_an_error(project: Project) -> None:
    world = World(1)
    world.choices[0]["effect_candidate"] = "g000-1-photograph-effect-77"
    with pytest.raises(WhatifError, match="the chosen effect g000-1-photograph-effect-77 does not exist; it must be"):
        make(prepare(project, world, **ONE))
    world.choices[0]["effect_candidate"] = "g000-2-comic-effect-01"
    with pytest.raises(WhatifError, match="g000-2-comic-effect-01 is the effect of g000-2 as comic; it must be a cand"):
        make(prepare(project, world, **ONE))


def test_no_question_at_all_is_an_error_with_the_reason(project: Project) -> None:
    world = World(1)
    world.choices = []
    with pytest.raises(WhatifError, match=r"none of 92 questions is left: no image in a style \(92\)"):
        make(prepare(project, world, **ONE))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"languages": ["zh"]}, "languages: .*must name each language once, `en` among them"),
        ({"forms": ["text", "strip"]}, "must name each form once, `text` and `composite` among them"),
    ],
)
def test_settings_without_the_main_form_or_english_are_refused(
    project: Project, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(WhatifError, match=message):
        prepare(project, World(1), **settings)
