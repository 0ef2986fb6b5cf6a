"""Prompt forms: how models' authors word questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from whatif.engine.errors import WhatifError
from whatif.engine.language import prompts
from whatif.engine.language.messages import ImagePart, Message, one_turn
from whatif.engine.language.prompts import FOLDER, form_named, forms, read, wrapped, wrapper
from whatif.engine.language.strategies import conversation, prompt

QUESTION = "How many {cats} are there, {question}?"
KINDS = ("number", "boolean", "text", "choice")


@pytest.mark.parametrize("form", forms())
def test_every_form_names_its_source_and_holds_the_question_once(form: str) -> None:
    text = (FOLDER / f"{form}.yaml").read_text(encoding="utf-8")
    assert text.startswith("# ") and ("github.com/" in text or "arXiv" in text)
    for kind in KINDS:
        assert prompt("direct", QUESTION, kind, form).count(QUESTION) == 1


def test_the_forms_have_the_words_of_their_authors() -> None:
    short = "Answer the question using a single word or phrase."
    letter = "Answer with the option's letter from the given choices directly."
    for form in ("llava-1-5", "llava-next"):
        assert prompt("direct", "How many?", "number", form) == f"How many?\n{short}"
        assert prompt("direct", "Which? A:1  B:2", "choice", form) == f"Which? A:1  B:2\n{letter}"
    for form in ("qwen-vl", "c-vqa", "internvl"):
        assert prompt("direct", "How many?", "number", form) == f"How many? {short}"
    for form in ("blip-2", "instructblip"):
        assert prompt("direct", "How many?", "number", form) == "How many?"
        assert wrapper(form) == "Question: {question} Short answer:"
    assert prompt("direct", "Is it?", "boolean", "qwen2-vl") == "Is it? Please answer yes or no."


def test_a_kind_without_words_keeps_those_of_the_strategy() -> None:
    assert prompt("direct", "Which?", "choice", "qwen-vl") == prompt("direct", "Which?", "choice")
    assert prompt("direct", "How many?", "number", "qwen-vl") != prompt("direct", "How many?", "number")


@pytest.mark.parametrize("strategy", ["cot", "plain"])
def test_other_strategies_keep_their_own_words(strategy: str) -> None:
    for kind in ("number", "choice"):
        assert prompt(strategy, "How many?", kind, "llava-1-5") == prompt(strategy, "How many?", kind)


def test_a_conversation_is_worded_like_its_prompt() -> None:
    (message,) = conversation("direct", "How many?", "number", [ImagePart("a")], prompt_form="llava-1-5")
    assert message.parts == (ImagePart("a"), prompt("direct", "How many?", "number", "llava-1-5"))


def test_a_text_or_the_name_of_a_form() -> None:
    assert form_named("blip-2") == "blip-2"
    assert form_named("Q: {question} A:") is None and form_named(None) is None
    assert wrapper("Q: {question} A:") == "Q: {question} A:"
    assert wrapper(None) == wrapper("llava-1-5") == "{question}"


def test_the_text_is_around_the_last_message_of_the_user_alone() -> None:
    images = (ImagePart("a"), ImagePart("b"))
    talk = (
        Message("system", ("Look.",)),
        Message("user", ("one",)),
        Message("assistant", ("two",)),
        Message("user", (images[0], "three {question}", images[1], "four")),
    )
    around = wrapped(talk, "Q: {question} A:")
    assert around[:3] == talk[:3]
    assert around[3].parts == (images[0], "Q: three {question}", images[1], "four A:")
    assert wrapped(talk, "{question}") == talk
    assert wrapped(one_turn("How many?", ["a"]), "Q: {question} A:") == one_turn("Q: How many? A:", ["a"])
    assert wrapped(talk[:1], "Q: {question}") == talk[:1]


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(prompts, "FOLDER", tmp_path)
    read.cache_clear()
    yield tmp_path / "toy.yaml"
    read.cache_clear()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("question: How many?", "each of its texts must contain {question} once"),
        ("wrap: '{question} {question}'", "each of its texts must contain {question} once"),
        ("{}", "it needs `question`, `wrap` or both"),
        ("question: {letter: '{question}'}", "question: 'letter' is no kind of answer; there are open, number"),
        ("wrapper: '{question}'", "wrapper: unknown key; did you mean `wrap`?"),
        ("wrap: '{question} {answer_1}'", "names {answer_1}, which is unknown; its texts can name {question}"),
        ("wrap: ' '", "wrap: must not be empty"),
        ("- wrap", "must contain keys and values"),
    ],
)
def test_a_mistake_in_a_form_is_named(toy: Path, text: str, reason: str) -> None:
    toy.write_text(text, encoding="utf-8")
    with pytest.raises(WhatifError) as error:
        read("toy")
    assert str(error.value).startswith("prompt form toy: ") and reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_form_that_is_not_utf_8_is_named(toy: Path) -> None:
    toy.write_bytes(b"wrap: '{question} \xff'")
    with pytest.raises(WhatifError, match=r"prompt form toy: toy\.yaml is not UTF-8 \(byte 18\); save it as UTF-8"):
        read("toy")


def test_a_folder_with_the_name_of_a_form_is_named(toy: Path) -> None:
    toy.mkdir()
    with pytest.raises(WhatifError, match=r"prompt form toy: toy\.yaml cannot be read \(Is a directory\)"):
        read("toy")


def test_an_unknown_form_is_named_with_the_known_ones() -> None:
    with pytest.raises(WhatifError, match="prompt form llava: is unknown; choose one of blip-2, blip-2-opt, c-vqa, "):
        wrapper("llava")
