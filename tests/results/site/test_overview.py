"""The overview: what its sentences are about, its words for 0.0, chance, and one item of each benchmark."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.defaults import shipped_values
from tests.results.site.example_items import paired, unsided
from tests.results.site.example_results import IDENTITY, bare, measured, write_results
from whatif import benchmarks
from whatif.results.reporting.table import tidy
from whatif.results.site.examples import ChosenItem
from whatif.results.site.findings import caution, findings
from whatif.results.site.item_pictures import PictureFiles
from whatif.results.site.overview import Summary, overview_page, summary
from whatif.results.site.paired_results import paired_results
from whatif.results.site.sources import BenchmarkSource


def rows(name: str, original: float, counterfactual: float, n: int = 200) -> list[dict[str, Any]]:
    numbers = {"original": original, "counterfactual": counterfactual, "drop": original - counterfactual}
    return [{**measured(name, measure, value), "n": n} for measure, value in numbers.items()]


def of(kinds: dict[str, str], *systems: list[dict[str, Any]]) -> Summary:
    frame = tidy([row for system in systems for row in system], IDENTITY)
    return summary(replace(bare(), frames={"paired": frame}, kinds=kinds), [])


LITERAL, EMBEDDED, OWN = rows("Literal", 100, 0), rows("Tiny", 90, 30), rows("Mine", 90, 60)
PART = rows("Part", 100, 20, n=50)
KINDS = {"literal": "rules", "tiny": "embedded", "random": "guess"}


def test_findings_are_about_models_and_about_ones_own_if_there_are_any() -> None:
    found = of(KINDS, LITERAL, EMBEDDED, PART, rows("Random", 25, 25))
    (count, largest) = findings([found])[:2]
    assert count.text.startswith("1 of 1 results of embedded models is lower on counterfactual questions")
    assert largest.text.startswith("The largest drop: “Tiny” answers 90.0% of the original and 30.0% of")
    both = of(KINDS, LITERAL, EMBEDDED, OWN, PART)
    assert "1 of 1 results of models is lower" in findings([both])[0].text
    assert "“Mine”" in findings([both])[1].text
    assert [caution([one]) != "" for one in (found, both, of({}, OWN))] == [True, True, False]


def test_without_a_model_nothing_is_found() -> None:
    assert findings([of(KINDS, LITERAL)]) == []


@pytest.mark.parametrize(
    ("original", "counterfactual", "word"),
    [
        (0, 0, "none right"),
        (100, 100, "all right"),
        (25, 25, "no difference"),
        (100, 0, "counterfactual: none right"),
        (0, 7, "original: none right"),
        (60, 40, ""),
    ],
)
def test_a_row_with_0_has_a_word(original: float, counterfactual: float, word: str) -> None:
    (group,) = paired_results({"paired": tidy(rows("Mine", original, counterfactual), IDENTITY)})
    assert group.systems[0].word == word
    assert (f'<span class="note">{word}</span>' in overview_page([of({}, rows("Mine", original, counterfactual))])) == (
        word != ""
    )


def test_every_model_is_shown_with_what_answers_and_with_chance() -> None:
    chance = {**measured("Mine", "chance", 25.0), "low": None, "high": None}
    shown = overview_page([of(KINDS, LITERAL, PART, [*OWN, chance])])
    names = re.findall(r'<tr><th scope="row">(\w+)(?: <span class="note">([^<]+))?', shown)
    assert names == [("Literal", "programs by rules"), ("Part", ""), ("Mine", "")]
    assert "counterfactual 60.0 (55.0 to 65.0); chance 25.0" in shown
    assert shown.count('class="chance"') == 2  # in the row and in the legend
    assert 'class="chance"' not in overview_page([of(KINDS, LITERAL)])


def example(source: BenchmarkSource, order: int = 1) -> Any:
    chosen = ChosenItem()
    for row in [*source.items][::order]:
        chosen.add(row)
    return chosen.example(PictureFiles(source.picture, lambda path, data: None))


def test_the_item_is_the_first_by_id_that_has_both_sides_in_any_order() -> None:
    source = paired(20)
    found = example(source)
    assert found == example(source, -1)
    assert found.item_id == "pair/0000"
    assert [text.side for text in found.texts] == ["original", "counterfactual"]
    assert ["".join(text.parts) for text in found.texts] == [
        f"A {colour} ball on the grass." for colour in ("red", "blue")
    ]
    assert [text.parts[1] for text in found.texts] == ["red", "blue"]  # what differs
    assert len(found.pictures) == 2 and found.pictures[0].width == 240
    bare_questions = replace(source, items=[{**row, "pictures": []} for row in source.items])
    assert [text.right for text in example(bare_questions).texts] == ["red", "blue"]
    assert example(bare_questions).pictures == []


def test_an_item_without_sides_is_its_title_and_no_item_is_no_example() -> None:
    found = example(unsided())
    assert (found.item_id, [text.parts for text in found.texts]) == ("choice-0", [["What happened before 0?"]])
    assert example(bare()) is None


def test_a_long_text_ends_in_dots() -> None:
    row = {"item_id": "a", "title": "word " * 100, "pictures": [], "questions": []}
    found = example(replace(bare(), items=[row]))
    assert found.texts[0].parts[0].endswith(" …") and len(found.texts[0].parts[0]) <= 200


def test_the_overview_opens_the_item_and_reuses_its_pictures(tmp_path: Path) -> None:
    files = write_results(tmp_path)
    shown = files["index.html"].decode()
    assert shown.count('class="card example"') == 1  # one benchmark has no items
    assert '<a href="bench/items.html#item=pair/0000">Pairs of things: an item' in shown
    pictures = re.findall(r'<img src="(bench/pictures/[^"]+)" alt="A (?:red|blue) ball', shown)
    assert len(pictures) == 2 and set(pictures) <= set(files)


def test_models_say_what_answers_for_them() -> None:
    values = shipped_values()
    models = benchmarks.check_params(values).models
    kinds = {key: models[key].kind for key in ("random", "first-option", "majority", "llava-original", "clip")}
    assert kinds == dict.fromkeys(("random", "first-option", "majority"), "guess") | {
        "llava-original": "embedded",
        "clip": "embedded",
    }
    assert {models[key].kind for key in models if key.startswith(("viper-", "visprog-"))} == {"rules"}
    writer = {"adapter": "blind", "checkpoint": "embedded:writer", "max_new_tokens": 8}
    values["models"]["viper-oracle"]["writer"] = writer
    values["models"]["mine"] = {"adapter": "hf-chat", "checkpoint": "some/model", "max_new_tokens": 8}
    again = benchmarks.check_params(values).models
    assert (again["viper-oracle"].kind, again["mine"].kind) == ("embedded", "own")
