"""A system message is used if a chat template has a place for it; otherwise it is an error."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.models.families import checkpoint
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import Message, one_turn, user_message
from whatif.engine.params.checkpoints import BlindTextModel, HuggingFaceChat
from whatif.models import Answer, Question, load

pytest.importorskip("torch")
pytest.importorskip("transformers")

KINDS: dict[str, Any] = {"hf-chat": HuggingFaceChat, "blind": BlindTextModel}
TEMPLATE = (
    "{% for turn in messages %}{{ turn.role | upper }}: "
    "{% if turn.content is string %}{{ turn.content }}{% else %}{% for part in turn.content %}"
    "{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}\n{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)
REFUSES = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}" + TEMPLATE
DROPS = TEMPLATE.replace("{% for turn in messages %}", "{% for turn in messages if turn.role != 'system' %}")


@pytest.fixture(scope="module")
def folders() -> dict[str, Path]:
    return {"hf-chat": checkpoint("llava"), "blind": checkpoint("blind")}


def with_template(folder: Path, to: Path, template: str | None) -> Path:
    copy = Path(shutil.copytree(folder, to))
    (copy / "chat_template.jinja").unlink(missing_ok=True)
    if template is not None:
        (copy / "chat_template.jinja").write_text(template, encoding="utf-8")
    return copy


def answers(adapter: str, folder: Path, **more: Any) -> list[Answer]:
    settings = KINDS[adapter](adapter=adapter, checkpoint=str(folder), max_new_tokens=3, **more)
    picture = Image.new("RGB", (24, 24), (200, 30, 30))
    asked = [
        Question("ranked", "g", "original", one_turn("How many?", ["p"]), ("one", "two"), lambda: [picture]),
        Question("open", "g", "original", one_turn("How many?", ["p"]), (), lambda: [picture]),
    ]
    return list(load(adapter, settings, 0).answer(asked))


@pytest.mark.parametrize("adapter", KINDS)
def test_it_is_read_before_the_question(adapter: str, folders: dict[str, Path], tmp_path: Path) -> None:
    folder = with_template(folders[adapter], tmp_path / "copy", TEMPLATE)
    ranked, said = answers(adapter, folder)
    ranked_after, said_after = answers(adapter, folder, system="You count dots.")
    assert {ranked.status, said.status, ranked_after.status, said_after.status} == {"ok"}
    assert ranked_after.option_scores != ranked.option_scores
    for before, after in ((ranked, ranked_after), (said, said_after)):
        assert before.prompt_tokens is not None and after.prompt_tokens is not None
        assert after.prompt_tokens > before.prompt_tokens


@pytest.mark.parametrize("adapter", KINDS)
@pytest.mark.parametrize(
    ("template", "reason"), [(REFUSES, "rejects a system message"), (DROPS, "omits a system message")]
)
def test_a_template_without_a_place_for_it_is_named(
    adapter: str, template: str, reason: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = with_template(folders[adapter], tmp_path / "copy", template)
    assert answers(adapter, folder)[0].status == "ok"
    with pytest.raises(WhatifError, match=f"checkpoint {folder}: its chat template {reason}"):
        answers(adapter, folder, system="You count dots.")


def test_a_language_model_without_a_template_has_a_prompt_for_it(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = with_template(folders["blind"], tmp_path / "copy", None)
    with pytest.raises(WhatifError, match="no chat template and so no place for `system`; put the text into `prompt`"):
        answers("blind", folder, system="You count dots.")


@pytest.mark.parametrize("adapter", KINDS)
def test_it_is_part_of_what_answers_are_stored_under_when_it_is_set(adapter: str, folders: dict[str, Path]) -> None:
    def identity(**more: Any) -> Any:
        return load(adapter, KINDS[adapter](adapter=adapter, checkpoint=str(folders[adapter]), **more), 0).identity

    assert "system" not in identity()
    if adapter == "hf-chat":
        assert identity(system="You count dots.") == {**identity(), "system": "You count dots."}


def test_a_language_model_without_a_template_says_what_it_takes(folders: dict[str, Path], tmp_path: Path) -> None:
    settings = BlindTextModel(adapter="blind", checkpoint=str(with_template(folders["blind"], tmp_path / "bare", None)))
    talk = (user_message("How many?"), Message("assistant", ("two",)), user_message("And now?"))
    (answer,) = load("blind", settings, 0).answer([Question("q", "g", "original", talk)])
    assert answer.reason == (
        "this language model has no chat template: it takes one message of the user; "
        "use a strategy without examples or several turns"
    )
