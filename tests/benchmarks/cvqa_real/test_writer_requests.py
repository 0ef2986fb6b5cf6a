"""How source questions are divided into requests, and what a request says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.cvqa_real.rows import source_row
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_real.writer_prompts import LABELS, first_request, read_prompts, repair_request
from whatif.benchmarks.cvqa_real.writer_replies import plain
from whatif.benchmarks.cvqa_real.writer_requests import Source, batches_of, sources_of
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream

pytestmark = pytest.mark.slow


def test_the_source_questions_of_a_group_are_those_that_are_not_finished() -> None:
    rows = [
        source_row("b", "How many?", "2"),
        source_row("a", "How many?", "3"),
        source_row("c", "Is it?", "no"),
        source_row("d", "How many?", "1"),
        {**source_row("d", "How many if?", "1"), "variant": "counterfactual", "group": "direct"},
    ]
    assert sources_of(rows, "direct") == sources_of(rows, "indirect")
    assert sources_of(rows, "direct") == [Source("a", "How many?", "3"), Source("b", "How many?", "2")]
    assert sources_of(rows, "boolean") == [Source("c", "Is it?", "no")]
    released = [source_row("e", "Is it?", "no"), {**source_row("e", "Is it if?", "yes"), "variant": "counterfactual"}]
    assert sources_of(released, "boolean") == []


@pytest.mark.parametrize("size", [1, 3, 10, 100])
def test_every_question_is_in_one_request_and_no_text_twice_in_one(size: int) -> None:
    for number in range(30):
        generator = stream(3, number)
        kinds = int(generator.integers(1, 20))
        places = generator.integers(0, kinds, int(generator.integers(0, 200)))
        sources = [
            Source(f"{n:03}", f"How many  {kind}s ?".replace("  ", " " * (1 + n % 3)), "1")
            for n, kind in enumerate(places)
        ]
        found = batches_of(sources, size)
        assert sorted(one for batch in found for one in batch) == sources
        assert all(0 < len(batch) <= size for batch in found)
        for batch in found:
            assert len({plain(one.question) for one in batch}) == len(batch)
            assert list(batch) == sorted(batch)
        assert found == _one_by_one(sources, size)


def _one_by_one(sources: list[Source], size: int) -> list[tuple[Source, ...]]:
    """The same, by looking through all requests."""
    found: list[list[Source]] = []
    for source in sources:
        texts = [{plain(one.question) for one in batch} for batch in found]
        places = [n for n, batch in enumerate(found) if len(batch) < size and plain(source.question) not in texts[n]]
        if places:
            found[places[0]].append(source)
        else:
            found.append([source])
    return [tuple(batch) for batch in found]


def test_many_questions_of_few_texts_are_divided_quickly() -> None:
    texts = [f"How many {n} are there?" for n in range(50)]
    sources = [Source(f"{n:06}", texts[min(49, n % 500)], "1") for n in range(200_000)]
    assert len(batches_of(sources, 10)) >= 180_000


def test_the_prompts_of_the_package_have_the_steps_and_the_format() -> None:
    prompts = read_prompts(None, GROUPS)
    assert list(prompts.by_group) == list(GROUPS)
    for group, text in prompts.by_group.items():
        lines = text.splitlines()
        places = [next(n for n, line in enumerate(lines) if line.startswith(f"{label}: ")) for label in LABELS]
        assert places == list(range(places[0], places[0] + 6))
        assert "a line of five hyphens (-----)" in text and "if clause" in text
        assert ("Cannot: " in text) == (group == "indirect")
    assert "Reverse the answer first" in prompts.by_group["boolean"]
    assert "never make up such facts" in prompts.by_group["indirect"]  # its examples are by people who saw the images
    assert "directly increases or decreases" in prompts.by_group["direct"]


def test_line_breaks_in_a_question_make_no_line_of_their_own() -> None:
    system, user = first_request("Do it.", [], [("How many?\nOriginal answer: 7", "2"), ("Is it?", "no")])
    assert system.text == "Do it."
    assert user.text == (
        "Original question: How many? Original answer: 7\nOriginal answer: 2\n-----\n"
        "Original question: Is it?\nOriginal answer: no"
    )
    assert repair_request(["x", "y"], [("Is it?", "no")]).endswith(
        "for this question:\n- x\n- y\nWrite the whole entry of each again, in the same format, and nothing else:\n\n"
        "Original question: Is it?\nOriginal answer: no"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", r"own\.yaml: must be a mapping from each group \(direct, indirect, boolean\) to {system: "),
        ("counting: {system: x}", r"own\.yaml: counting: is no group; the groups are direct, indirect, boolean"),
        ("direct: {system: x}", r"own\.yaml: has no prompt for boolean; add `boolean: {system: \.\.\.}`"),
        ("direct: x\nboolean: x", r"own\.yaml: direct: must be a mapping with the key system"),
        ("direct: {system: x, user: y}\nboolean: {system: x}", r"direct: must be a mapping with the key system"),
        ("direct: {system: ' '}\nboolean: {system: x}", r"direct: system: must be a text that is not empty"),
        ("direct: {system: 3}\nboolean: {system: x}", r"direct: system: must be a text that is not empty"),
        ("direct: {system: [", r"own\.yaml"),
    ],
)
def test_prompt_files_that_cannot_be_used(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(WhatifError, match=told):
        read_prompts(str(tmp_path / "own.yaml"), ["direct", "boolean"])
    with pytest.raises(WhatifError, match=r"none\.yaml: .*; generate\.cvqa-real\.prompting\.file must be"):
        read_prompts(str(tmp_path / "none.yaml"), ["direct"])


def test_a_prompt_file_needs_only_the_groups_that_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("boolean: {system: ' Turn it around. '}", encoding="utf-8")
    assert read_prompts(str(tmp_path / "own.yaml"), ["boolean"]).by_group == {"boolean": "Turn it around."}


def test_the_short_prompts_are_those_of_small_models() -> None:
    short = read_prompts("short", ["direct", "boolean"])
    assert short.by_group == {"direct": "Change the number.", "boolean": "Flip the answer."}
    assert short.digest != read_prompts(None, GROUPS).digest
    with pytest.raises(WhatifError, match=r"writer_prompt_short\.yaml: has no prompt for indirect"):
        read_prompts("short", GROUPS)
