"""What a reply with new questions must be, what is named as wrong in one, and the files of system prompts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.benchmarks.cfmm.expansions import given, good
from whatif.benchmarks.cfmm import expansion_requests
from whatif.benchmarks.cfmm.expansion_replies import OUTPUT_KEYS, read_options, read_questions
from whatif.benchmarks.cfmm.expansion_requests import options_request, read_prompts
from whatif.benchmarks.cfmm.leakage import leak
from whatif.benchmarks.shared.json_replies import schema_of
from whatif.benchmarks.shared.reply_talks import repair_request
from whatif.engine.errors import WhatifError
from whatif.engine.language.if_clauses import if_clause
from whatif.formats.cfmm_items import CATEGORIES
from whatif.models.endpoint.json_replies import json_fault
from whatif.world import category_items

GOOD = good("count")
TEXT = json.dumps(GOOD)
ASKED = {"wrong answer1": ("If two left, how many would remain?", "3"), "wrong answer3": ("If one came?", "six")}


def changed(**texts: Any) -> str:
    """The good reply with other values; None leaves a key out. `question1` stands for `counterfactual question1`."""
    keys = {key if key in GOOD else f"counterfactual {key}": value for key, value in texts.items()}
    return json.dumps({key: value for key, value in (GOOD | keys).items() if value is not None})


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        json.dumps(GOOD, indent=4),
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}```",
        f"Here are the new questions:\n\n```json\n{TEXT}\n```\nDo you want more?",
        f"Sure! {TEXT} I hope this helps.",
        TEXT.replace("How many birds are on", "How many  birds are\\non"),
    ],
)
def test_a_reply_is_read_from_a_fence_and_among_words(reply: str) -> None:
    read = read_questions(reply, given("count"))
    assert read.faults == ()
    assert dict(read.texts) == GOOD


def test_the_keys_are_those_of_the_paper() -> None:
    assert OUTPUT_KEYS[:7] == (
        *("category", "basic question", "basic answer", "counterfactual question", "counterfactual answer"),
        *("counterfactual question1", "counterfactual answer1"),
    )
    assert len(OUTPUT_KEYS) == 11
    assert json_fault(TEXT, schema_of(OUTPUT_KEYS)) is None
    assert "required property" in str(json_fault("{}", schema_of(OUTPUT_KEYS)))


@pytest.mark.parametrize(
    ("reply", "faults"),
    [
        ("  ", ["the reply is empty; write one JSON object"]),
        ("I cannot help with that.", ["the reply has no JSON object; write one"]),
        (TEXT[:-30], ["the reply is not JSON: Unterminated string starting at line 1, column 558"]),
        (TEXT[:-1], ["the reply is not JSON: Expecting ',' delimiter at line 1, column 590"]),
        ('{"a": ' * 100_000, ["maximum recursion depth exceeded"]),
        (f"{TEXT}\n{TEXT}", ["the reply has several JSON objects; write one"]),
        ('{"category": "count", "category": "color"}', ['the key "category" occurs twice; keep one']),
        (changed(answer2=None), ["'counterfactual answer2' is a required property"]),
        (
            changed(answer2=None, question1=None),
            ["'counterfactual answer2' is a required property", "'counterfactual question1' is a required property"],
        ),
        (changed(answer1=6), ["\"counterfactual answer1\": 6 is not of type 'string'"]),
        (changed(answer1="  "), ['"counterfactual answer1" is empty; write a text']),
        (changed(answer1="\ud83d"), ['"counterfactual answer1" has half of a character']),
        (changed(note="x"), ["Additional properties are not allowed ('counterfactual note' was unexpected)"]),
        (changed(category="color"), ['"category" must be repeated unchanged: "count", not "color"']),
        (
            changed(**{"basic question": "How many crows are on the wire?"}),
            [
                '"basic question" must be repeated unchanged: "How many birds are on the wire?", not '
                '"How many crows are on the wire?"'
            ],
        ),
        (changed(**{"basic answer": "5"}), ['"basic answer" must be repeated unchanged: "4", not "5"']),
        (
            changed(question2=GOOD["counterfactual question1"].upper()),
            ['"counterfactual question2" asks the same as "counterfactual question1"; ask another question'],
        ),
        (
            changed(question3="if 1 bird flew away, how many birds would be on a wire"),
            ['"counterfactual question3" asks the same as "counterfactual question"; ask another question'],
        ),
        (
            changed(question1="How many birds can sing?", question2="After one left, how many birds are there?"),
            [
                '"counterfactual question1" has no if clause; state a condition: "How many birds can sing?"',
                '"counterfactual question2" has no if clause; state a condition: '
                '"After one left, how many birds are there?"',
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_reply_is_named(reply: str, faults: list[str]) -> None:
    read = read_questions(reply, given("count"))
    assert [fault.partition(" while ")[0] for fault in read.faults] == faults
    asked_again = repair_request(read.faults)
    assert all(f"\n- {fault}\n" in asked_again for fault in read.faults)


def test_only_so_many_faults_are_named() -> None:
    faults = read_questions("{}", given("count")).faults
    assert len(faults) == 9 and faults[-1] == "3 more"


def test_texts_in_messages_are_short() -> None:
    (fault,) = read_questions(changed(question1="Why? " * 900), given("count")).faults
    assert len(fault) < 300


@pytest.mark.parametrize(
    ("reply", "faults"),
    [
        ({"wrong answer1": "4", "wrong answer3": "5"}, []),
        ({"wrong answer1": "4"}, ["'wrong answer3' is a required property"]),
        ({"wrong answer1": "three", "wrong answer3": "5"}, ['"wrong answer1" is the right answer: "three"; write a']),
        ({"wrong answer1": "4", "wrong answer3": "as many as before"}, ['"wrong answer3" has 4 words; use at most 3']),
    ],
)
def test_wrong_options(reply: dict[str, str], faults: list[str]) -> None:
    read = read_options(json.dumps(reply), ASKED)
    assert [fault[: len(start)] for fault, start in zip(read.faults, faults, strict=True)] == faults


def test_wrong_options_are_asked_for_with_question_and_answer() -> None:
    asked = options_request(ASKED)
    assert "- wrong answer1: If two left, how many would remain? (right answer: 3)\n" in asked
    assert json.loads(asked[asked.index("{") :]) == dict.fromkeys(ASKED, "...")


def test_there_is_a_prompt_for_each_category() -> None:
    prompts = read_prompts(None)
    assert tuple(prompts.by_category) == CATEGORIES
    assert set(CATEGORIES) == set(category_items.CATEGORIES)
    data = Path(expansion_requests.__file__).with_name("expansion_prompts.yaml").read_bytes()
    assert prompts.digest == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_example_of_a_prompt_is_as_good_as_a_reply_must_be(category: str) -> None:
    text = read_prompts(None).by_category[category]
    head, _, example = text.partition("\nInput:\n")
    asked, _, reply = example.partition("\nOutput:\n")
    assert "JSON" in head and json.loads(asked)["category"] == category
    read = read_questions(reply, json.loads(asked))
    assert read.faults == ()
    for place in ("", "1", "2", "3"):
        question, answer = read.texts[f"counterfactual question{place}"], read.texts[f"counterfactual answer{place}"]
        assert leak(str(if_clause(question)), answer, basic_answer=read.texts["basic answer"]) is None


def test_prompts_of_ones_own(folder: Path) -> None:
    Path("own.yaml").write_text(yaml.safe_dump({category: f"About {category}." for category in CATEGORIES}))
    prompts = read_prompts("own.yaml")
    assert prompts.by_category["shape"] == "About shape."
    assert prompts.digest != read_prompts(None).digest


ALL: dict[str, Any] = dict.fromkeys(CATEGORIES, "text")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "own.yaml: No such file or directory; generate.cfmm.expansion.prompt_file must be a YAML file"),
        (
            "- a\n",
            "own.yaml: must be a mapping from each category (count, color, size, shape, direction, common) to its",
        ),
        ("count: a\ncolor: b\n", "own.yaml: has no prompt for size, shape, direction, common; it needs count, color,"),
        ({**ALL, "colour": "x"}, "own.yaml: colour: is no category; the categories are count, color, size, shape,"),
        ({**ALL, "shape": "  "}, "own.yaml: shape: must be a text that is not empty"),
        ({**ALL, "shape": 3}, "own.yaml: shape: must be a text that is not empty"),
        ("count: [\n", "own.yaml:2: not valid YAML: "),
        (b"count: \xff\n", "own.yaml: is not UTF-8 at byte 7; save it as UTF-8"),
    ],
)
def test_a_wrong_file_of_prompts_is_one_line(folder: Path, content: Any, told: str) -> None:
    if content is not None:
        text = yaml.safe_dump(content) if isinstance(content, dict) else content
        Path("own.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(WhatifError) as caught:
        read_prompts("own.yaml")
    assert str(caught.value).startswith(told) and "\n" not in str(caught.value)
