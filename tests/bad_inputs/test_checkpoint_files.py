"""Checkpoints with damaged files: settings, weights and their index, tokeniser, chat template."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bad_inputs.outcome import refusal
from tests.tiny_checkpoints import tiny_llava, tiny_text_model
from whatif.engine.language.messages import one_turn
from whatif.engine.params.checkpoints import BlindTextModel, HuggingFaceChat
from whatif.models import Question
from whatif.models.local.blind import blind
from whatif.models.local.chat import hugging_face_chat
from whatif.models.local.checkpoints import folder_of

pytest.importorskip("torch")
pytest.importorskip("transformers")
Spoil = Callable[[Path], object]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {
        "hf-chat": tiny_llava(tmp_path_factory.mktemp("chat")),
        "blind": tiny_text_model(tmp_path_factory.mktemp("b")),
    }


def load(adapter: str, folder: Path) -> Any:
    if adapter == "hf-chat":
        return hugging_face_chat(HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder)), 0)
    return blind(BlindTextModel(adapter="blind", checkpoint=str(folder)), 0)


def holds(name: str, data: bytes) -> Spoil:
    return lambda folder: (folder / name).write_bytes(data)


def index(values: Any) -> Spoil:
    """Weights with an index file: `values` as text, or a map of weights."""
    text = values if isinstance(values, str) else json.dumps({"weight_map": values})
    return holds("model.safetensors.index.json", text.encode())


def layers(number: int) -> Spoil:
    """Settings with this number of layers, wherever they give one."""

    def spoil(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(re.sub(r'("num_hidden_layers": )\d+', rf"\g<1>{number}", path.read_text()))

    return spoil


def template(text: str) -> Spoil:
    return holds("chat_template.jinja", text.encode())


def header(text: str, length: int | None = None) -> Spoil:
    """A weight file with this header, which declares a length of `length` bytes."""
    data = text.encode()
    return holds("model.safetensors", (len(data) if length is None else length).to_bytes(8, "little") + data)


def replaced(name: str, make: Spoil) -> Spoil:
    def spoil(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return spoil


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


FILES: list[tuple[str, Spoil, str]] = [
    ("settings empty", holds("config.json", b""), "cannot be loaded"),
    ("settings of a list", holds("config.json", b"[]"), "cannot be loaded"),
    ("settings of null", holds("config.json", b"null"), "cannot be loaded"),
    ("settings 100,000 deep", holds("config.json", b"[" * 100_000), "cannot be loaded"),
    ("settings in Latin-1", holds("config.json", b'{"a": "\xe9"}'), "cannot be loaded"),
    ("settings of nothing", holds("config.json", b"{}"), "cannot be loaded"),
    ("unknown model", holds("config.json", b'{"model_type": "evil"}'), "cannot be loaded"),
    ("model type of a list", holds("config.json", b'{"model_type": ["llava"]}'), "cannot be loaded"),
    ("tokeniser of nothing", holds("tokenizer.json", b"{}"), "cannot be loaded"),
    ("tokeniser of no JSON", holds("tokenizer.json", b"\x80\x04."), "cannot be loaded"),
    ("tokeniser's settings of a list", holds("tokenizer_config.json", b"[]"), "cannot be loaded"),
    ("weights empty", holds("model.safetensors", b""), "is truncated"),
    ("weights of text", holds("model.safetensors", b"weights " * 100), "is not a safetensors file"),
    ("weights that are a pickle", holds("model.safetensors", b"\x80\x04\x95" + bytes(100)), "is truncated"),
    ("header of 4 EB", header("{}", 2**62), "is not a safetensors file"),
    ("header that is cut off", header("{}", 99), "is truncated"),
    ("header of a list", header("[]"), "is not a safetensors file"),
    ("header 100,000 deep", header("[" * 100_000), "is not a safetensors file"),
    ("place of infinity", header('{"a": {"data_offsets": [0, Infinity]}}'), "is not a safetensors file"),
    ("place far outside", header('{"a": {"data_offsets": [0, 999999999999]}}'), "is truncated"),
    ("place of text", header('{"a": {"data_offsets": ["0", "x"]}}'), "is not a safetensors file"),
    ("other weights", header('{"a": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}'), "its files lack"),
    ("index of no JSON", index("{"), "is not an index of weights"),
    ("index of a list", index("[]"), "is not an index of weights"),
    ("index of null", index("null"), "is not an index of weights"),
    ("index 100,000 deep", index("[" * 100_000), "is not an index of weights"),
    ("index without a map", index("{}"), "is not an index of weights"),
    ("index of an empty map", index({}), "names nothing as a file of weights"),
    ("index of numbers", index({"a": 7}), "names 7 as a file of weights"),
    ("index of null entries", index({"a": None}), "names None as a file of weights"),
    ("index of lists", index({"a": ["model.safetensors"]}), "is not an index of weights"),
    ("index of objects", index({"a": {}}), "is not an index of weights"),
    ("index of several kinds", index({"a": 7, "b": "model.safetensors"}), "names 7 as a file of weights"),
    ("index of an empty name", index({"a": ""}), "names '' as a file of weights"),
    ("index of a folder above", index({"a": "../model.safetensors"}), "names '../model.safetensors' as a file"),
    ("index at the root", index({"a": "/etc/passwd"}), "names '/etc/passwd' as a file"),
    ("index of a null character", index({"a": "a\0"}), "lacks 1 of 1 weight files"),
    ("index of half a surrogate pair", index({"a": "\ud800"}), "lacks 1 of 1 weight files"),
    ("index of what is not there", index({"a": "b.safetensors"}), "lacks 1 of 1 weight files, first b.safetensors"),
    ("index without metadata", index({"a": "model.safetensors"}), 'lacks `metadata`; add `"metadata": {}`'),
    ("a thousand million layers", layers(10**9), "num_hidden_layers is 1,000,000,000, but its files hold"),
    ("weights that are a pipe", replaced("model.safetensors", os.mkfifo), "lacks weights"),
    (
        "weights that are a device",
        replaced("model.safetensors", lambda at: at.symlink_to("/dev/zero")),
        "lacks weights",
    ),
    ("weights that are a folder", replaced("model.safetensors", Path.mkdir), "lacks weights"),
    ("settings that are a pipe", replaced("config.json", os.mkfifo), "lacks config.json"),
    ("settings that are a folder", replaced("config.json", Path.mkdir), "lacks config.json"),
]
TEMPLATES: list[tuple[str, str]] = [
    ("open bracket", "{% for message in messages %}"),
    ("open string", "{{ 'x }}"),
    ("unknown tag", "{% include '/etc/passwd' %}"),
    ("unknown filter", "{{ messages | os }}"),
    ("what is not there", "{{ messages[7].content.more }}"),
    ("division by nothing", "{{ 1 / 0 }}"),
    ("text and number", "{{ 'x' + 1 }}"),
    ("a message of its own", "{{ raise_exception('only\nsystems speak') }}"),
    ("a function of Python", "{{ messages.__class__.__mro__[1].__subclasses__() }}"),
    ("what Jinja keeps", "{{ self._TemplateReference__context.parent }}{{ self.__init__.__globals__ }}"),
    ("a range of a thousand million", "{% for i in range(1000000000) %}x{% endfor %}"),
    ("a change of the question", "{{ messages.append(messages) }}{{ messages.pop.__func__ }}{{ messages.clear() }}"),
    ("itself for ever", "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}"),
]


# Both adapters read the files by the same code: of hf-chat one of each kind of file, the others are for soak.
OF_HF_CHAT = ("settings empty", "tokeniser of nothing", "weights empty", "index without a map", "other weights")


@pytest.mark.parametrize(
    ("adapter", "spoil", "words"),
    [
        pytest.param(adapter, *rest, id=f"{adapter}: {name}", marks=() if kept else pytest.mark.soak)
        for adapter in ("blind", "hf-chat")
        for name, *rest in FILES
        for kept in [adapter == "blind" or name in OF_HF_CHAT]
    ],
)
def test_a_file_that_is_none(adapter: str, spoil: Spoil, words: str, whole: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole[adapter], tmp_path / "checkpoint"))
    spoil(folder)
    line = refusal(lambda: load(adapter, folder))
    assert line.startswith(f"checkpoint {folder}") and words in line, line


@pytest.mark.parametrize("adapter", [pytest.param("hf-chat", marks=pytest.mark.soak), "blind"])
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in TEMPLATES])
def test_a_chat_template_that_fails(adapter: str, text: str, whole: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole[adapter], tmp_path / "checkpoint"))
    template(text)(folder)
    line = refusal(lambda: load(adapter, folder))
    assert line.startswith(f"checkpoint {folder}: its chat template fails ("), line


def test_a_template_that_refuses_one_question_answers_the_others(whole: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole["blind"], tmp_path / "checkpoint"))
    written = (folder / "chat_template.jinja").read_text()
    refuses = "{% if 'bad' in messages[0]['content'] %}{{ raise_exception('not\nthat') }}{% endif %}"
    template(refuses + written)(folder)
    model = load("blind", folder)
    asked = [Question(text, group="g", variant="original", messages=one_turn(text)) for text in ("good", "bad")]
    answers = list(model.answer(asked))
    assert [answer.status for answer in answers] == ["ok", "error"]
    assert answers[1].reason == "the model cannot be asked this: not"


NAMES: list[tuple[str, str, str]] = [
    ("home of nobody", "~nobody-of-that-name/llava", "there is no such user or home folder"),
    ("package that is not there", "package:nothing/llava", "Python package nothing is not installed"),
    ("package of a path", "package:../x/llava", "is not installed"),
    ("package of a statement", "package:os;import this/x", "is not installed"),
    ("folder outside a package", "package:whatif/nothing", "has no folder 'nothing'"),
    ("a URL", "https://host/a/b", "no such folder"),
    ("a file", __file__, "is a file"),
    ("nothing", " ", "no such folder"),
]


@pytest.mark.parametrize(("name", "words"), [pytest.param(*rest, id=name) for name, *rest in NAMES])
def test_a_name_of_a_checkpoint_that_is_none(name: str, words: str) -> None:
    assert words in refusal(lambda: folder_of(name))
