"""GGUF files that are damaged, hostile or unsuitable: each is one line, in little time and memory."""

from __future__ import annotations

import os
import resource
import struct
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.bad_inputs.outcome import refusal
from tests.tiny_checkpoints.gguf import tiny_gguf
from whatif.engine.params.checkpoints import BlindTextModel, DualEncoder, HuggingFaceBlip, HuggingFaceChat
from whatif.models.local.blind import blind
from whatif.models.local.blip import hugging_face_blip
from whatif.models.local.chat import hugging_face_chat
from whatif.models.local.encoders import dual_encoder

pytest.importorskip("torch")
_NO_GGUF = "the package gguf is not installed (extra `real`)"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("gguf") is None, reason=_NO_GGUF)]

_HUGE = 2**62
_F32, _TEXT, _ARRAY, _UINT8, _UINT32 = 0, 8, 9, 0, 4


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    """Half a gigabyte more than the process has: whoever believes a header fails here."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if _is_linux() else 0
    if used:
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def _is_linux() -> bool:
    return sys.platform == "linux"


def load(file: Path | str, **more: Any) -> Any:
    return blind(BlindTextModel(adapter="blind", checkpoint=str(file), **more), 0)


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def tensor(name: str, shape: tuple[int, ...], kind: int = _F32, offset: int = 0) -> bytes:
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)


def header(
    *entries: bytes, tensors: tuple[bytes, ...] = (), counts: tuple[int, int] | None = None, version: int = 3
) -> bytes:
    """The bytes of a file; `counts` are those of tensors and values that it declares."""
    declared = (len(tensors), len(entries)) if counts is None else counts
    return b"GGUF" + struct.pack("<IQQ", version, *declared) + b"".join(entries + tensors) + bytes(64)


def language_model(architecture: str) -> list[bytes]:
    """The values that each language model has: of an architecture, without layers and with an empty vocabulary."""
    return [
        entry("general.architecture", _TEXT, text(architecture)),
        *(entry(f"{architecture}.{name}", _UINT32, bytes(4)) for name in ("block_count", "embedding_length")),
        entry("tokenizer.ggml.model", _TEXT, text("gpt2")),
        entry("tokenizer.ggml.tokens", _ARRAY, struct.pack("<IQ", _TEXT, 0)),
    ]


def header_of(architecture: str, *entries: bytes, tensors: tuple[bytes, ...] = ()) -> bytes:
    return header(*language_model(architecture), *entries, tensors=tensors)


LLAMA = entry("general.architecture", _TEXT, text("llama"))
MANY_LAYERS = entry("llama.block_count", _UINT32, struct.pack("<I", 10**9))
BYTES: list[tuple[str, bytes, str]] = [
    ("nothing", b"", "is empty; copy or download it again"),
    ("a page of the web", b"<!DOCTYPE html>" * 9, "is not a GGUF file: it begins with b'<!DO', not with b'GGUF'"),
    ("a pickle", b"\x80\x04\x95" + bytes(99), "is not a GGUF file"),
    ("a zip archive", b"PK\x03\x04" + bytes(99), "is not a GGUF file"),
    ("the name alone", b"GGUF", "is truncated: it ends after 4 bytes, within its header"),
    ("version 1", header(LLAMA, version=1), "is a GGUF file of version 1; give one of version 2 or 3"),
    ("version 2**31", header(LLAMA, version=2**31 + 1), "is a GGUF file of version 2147483649"),
    ("the highest byte first", header(LLAMA, version=3 << 24), "is a GGUF file with the highest byte first"),
    ("any number of values", header(LLAMA, counts=(0, _HUGE)), "declares 4,611,686,018,427,387,904 values"),
    ("any number of tensors", header(LLAMA, counts=(_HUGE, 1)), "declares 4,611,686,018,427,387,904 tensors"),
    ("a key of 4 EB", header(struct.pack("<Q", _HUGE)), "declares a text of 4,611,686,018,427,387,904 bytes"),
    ("a key that is cut off", header(struct.pack("<Q", 500)), "is truncated"),
    ("a text of 4 EB", header(entry("a", _TEXT, struct.pack("<Q", _HUGE))), "declares a text of"),
    ("a text of 2 MB", header(entry("a", _TEXT, text("x" * 2**21))), "declares a text of 2,097,152 bytes"),
    ("a text that is not UTF-8", header(struct.pack("<Q", 2) + b"\xff\xfe"), "a text that is not UTF-8"),
    ("a type that is not known", header(entry("a", 77, b"")), "the value 'a' has the type 77, which is not known"),
    ("an array of 4 EB", header(entry("a", _ARRAY, struct.pack("<IQ", _UINT8, _HUGE))), "more than 3,000,000 values"),
    (
        "arrays of 4 million bytes",
        header(*(entry(key, _ARRAY, struct.pack("<IQ", _UINT8, 2 * 10**6) + bytes(2 * 10**6)) for key in "ab")),
        "more than 3,000,000 values, at 'b'",
    ),
    ("an array of texts of 4 EB", header(entry("a", _ARRAY, struct.pack("<IQQ", _TEXT, 2, _HUGE))), "a text of"),
    ("an array that is cut off", header(entry("a", _ARRAY, struct.pack("<IQ", _UINT32, 10**6))), "is truncated"),
    ("an array of arrays", header(entry("a", _ARRAY, struct.pack("<IQ", _ARRAY, 1))), "has the type 9"),
    ("a value twice", header(LLAMA, LLAMA), "the value 'general.architecture' occurs twice"),
    (
        "a vocabulary that is not UTF-8",
        header(entry("a", _ARRAY, struct.pack("<IQQ", _TEXT, 1, 1) + b"\xff")),
        "not UTF-8",
    ),
    ("no architecture", header(entry("a", _UINT32, bytes(4))), "it does not name an architecture"),
    ("an architecture of a number", header(entry("general.architecture", _UINT32, bytes(4))), "does not name an"),
    ("an alignment of 3", header(LLAMA, entry("general.alignment", _UINT32, b"\3\0\0\0")), "not a power of two"),
    ("an alignment of 0", header(LLAMA, entry("general.alignment", _UINT32, bytes(4))), "not a power of two"),
    (
        "a thousand million layers",
        header_of("llama").replace(text("llama.block_count") + struct.pack("<II", _UINT32, 0), MANY_LAYERS),
        "llama.block_count is 1,000,000,000, but the file holds 0 tensors",
    ),
    (
        "layers of another architecture",
        header_of("llama", entry("qwen2.block_count", _UINT32, struct.pack("<I", 10**9))),
        "qwen2.block_count is 1,000,000,000",
    ),
    ("tensors without dimensions", header(LLAMA, tensors=(tensor("a", ()),)), "has 0 dimensions"),
    ("tensors of 99 dimensions", header(LLAMA, tensors=(tensor("a", (1,) * 99),)), "has 99 dimensions"),
    ("a tensor of 2**186 values", header(LLAMA, tensors=(tensor("a", (_HUGE,) * 3),)), "is truncated: it has"),
    ("a tensor far away", header(LLAMA, tensors=(tensor("a", (1,), offset=_HUGE),)), "is truncated: it has"),
    ("a tensor twice", header(LLAMA, tensors=(tensor("a", (1,)), tensor("a", (1,), offset=32))), "occurs twice"),
    (
        "tensors in one place",
        header(LLAMA, tensors=(tensor("a", (8,)), tensor("b", (8,)))),
        "the tensor 'b' overlaps another one",
    ),
    ("a type of tensor that is not known", header(LLAMA, tensors=(tensor("a", (1,), kind=999),)), "has the type 999"),
    ("rows of half a block", header(LLAMA, tensors=(tensor("a", (7,), kind=2),)), "are not whole blocks"),
    ("no sizes", header(LLAMA), "is not a language model: its header has no llama.block_count; give the file of a"),
    (
        "a vision tower",
        header(entry("general.architecture", _TEXT, text("clip"))),
        "not that of a vision tower (mmproj)",
    ),
    ("no tensors", header_of("llama"), "cannot be loaded"),
    (
        "an architecture that transformers does not load",
        header_of("rwkv7"),
        "architecture rwkv7 is not supported yet; give its checkpoint with safetensors, or run the file behind",
    ),
    ("an architecture of a statement", header_of("__import__"), "cannot be"),
    (
        "positions that are scaled",
        header_of("llama", tensors=(tensor("rope_freqs.weight", (8,)),)),
        "scales its positions (rope_freqs.weight), which transformers does not read from a GGUF file",
    ),
    (
        "positions that are scaled by a setting",
        header_of("llama", entry("llama.rope.scaling.type", _TEXT, text("yarn"))),
        "scales its positions (llama.rope.scaling.type)",
    ),
]


@pytest.mark.parametrize(("data", "words"), [pytest.param(*rest, id=name) for name, *rest in BYTES])
def test_bytes_that_are_no_model(data: bytes, words: str, tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(data)
    line = refusal(lambda: load(file))
    assert line.startswith(f"checkpoint {file}: ") and words in line, line


@pytest.mark.parametrize("share", [0.001, 0.02, 0.05, 0.3, 0.9, 0.999])
def test_a_file_that_is_cut_off(share: float, whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    file = tmp_path / "model.gguf"
    file.write_bytes(data[: int(share * len(data))])
    line = refusal(lambda: load(file))
    assert line.startswith(f"checkpoint {file}: is truncated") and line.endswith("; copy or download it again")


def without(name: str) -> Callable[[bytes], bytes]:
    """The file in which something of this name, in its header, has another name of the same length."""
    return lambda data: data.replace(name.encode(), b"x" * len(name))


NUMBERS: list[tuple[str, int]] = [
    ("embedding_length", 2**31),
    ("feed_forward_length", 2**31),
    ("attention.head_count", 10**9),
    ("attention.head_count", 0),
    ("attention.head_count_kv", 7),
    ("rope.dimension_count", 2**31),
    ("vocab_size", 2**31),
    ("vocab_size", 1),
]


@pytest.mark.parametrize(("key", "value"), NUMBERS)
def test_settings_that_contradict_the_weights(key: str, value: int, tmp_path: Path) -> None:
    file = tiny_gguf(tmp_path / "tiny.gguf", **{f"llama.{key}".replace(".", "__"): value})
    line = refusal(lambda: load(file))
    assert line.startswith(f"checkpoint {file}: "), line


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("blk.1.ffn_up.weight", "its files lack 1 weights, first model.layers.1.mlp.up_proj.weight"),
        ("tokenizer.ggml.tokens", "is not a language model: its header has no tokenizer.ggml.tokens; give"),
        ("tokenizer.ggml.model", "is not a language model: its header has no tokenizer.ggml.model; give"),
        ("tokenizer.ggml.merges", "; give its checkpoint with safetensors, or run the file behind llama-server"),
    ],
)
def test_a_part_that_is_not_there(name: str, words: str, whole: Path, tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(without(name)(whole.read_bytes()))
    line = refusal(lambda: load(file))
    assert line.startswith(f"checkpoint {file}: ") and words in line, line


PLACES: list[tuple[str, Callable[[Path], object], str]] = [
    ("a pipe", os.mkfifo, "cannot be read (it is a named pipe, not a regular file)"),
    ("a device", lambda at: at.symlink_to("/dev/zero"), "cannot be read (it is a device, not a regular file)"),
    ("a folder", Path.mkdir, "lacks config.json"),
    ("nothing", lambda at: None, "no such file; give the path of a GGUF file"),
]


@pytest.mark.parametrize(("make", "words"), [pytest.param(*rest, id=name) for name, *rest in PLACES])
def test_a_place_that_holds_no_file(make: Callable[[Path], object], words: str, tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    make(file)
    assert words in refusal(lambda: load(file))


NAMES: list[tuple[str, str]] = [
    ("nowhere/model.gguf", "checkpoint nowhere/model.gguf: no such file"),
    ("package:whatif/nothing.gguf", "the package whatif has no file 'nothing.gguf'"),
    ("package:no_such_package/model.gguf", "Python package no_such_package is not installed"),
]


@pytest.mark.parametrize(("name", "words"), NAMES)
def test_a_name_of_a_file_that_is_none(name: str, words: str) -> None:
    assert words in refusal(lambda: load(name))


SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"revision": "0123abc"}, "is a file, which has no revisions; remove `revision` (0123abc)"),
    ({"quantization": "4bit"}, "a GGUF file is quantised as it is; remove `quantization`"),
]


@pytest.mark.parametrize(("more", "words"), SETTINGS)
def test_a_setting_that_does_not_fit(more: dict[str, Any], words: str, whole: Path) -> None:
    assert refusal(lambda: load(whole, **more)) == f"checkpoint {whole}: {words}"


OTHERS: list[tuple[str, Callable[[str], object]]] = [
    ("hf-blip", lambda file: hugging_face_blip(HuggingFaceBlip(adapter="hf-blip", checkpoint=file), 0)),
    ("dual-encoder", lambda file: dual_encoder(DualEncoder(adapter="dual-encoder", checkpoint=file))),
]


@pytest.mark.parametrize("load_other", [pytest.param(one, id=name) for name, one in OTHERS])
def test_adapters_that_need_images(load_other: Callable[[str], object], whole: Path) -> None:
    line = refusal(lambda: load_other(str(whole)))
    assert line == (
        f"checkpoint {whole}: is a file; give the folder that holds config.json; GGUF files are for language models "
        "(adapters blind and hf-chat)"
    )


@pytest.mark.parametrize("limit", ["min_pixels", "max_pixels"])
def test_limits_of_images_for_a_language_model(limit: str, whole: Path) -> None:
    settings = HuggingFaceChat(adapter="hf-chat", checkpoint=str(whole), **{limit: 99})
    line = refusal(lambda: hugging_face_chat(settings, 0))
    assert line == (f"checkpoint {whole}: a 'llama' is a language model, which takes no images; remove `{limit}`")


def test_a_file_without_a_chat_template_is_for_blind(tmp_path: Path) -> None:
    file = tiny_gguf(tmp_path / "tiny.gguf", chat=False)
    line = refusal(lambda: hugging_face_chat(HuggingFaceChat(adapter="hf-chat", checkpoint=str(file)), 0))
    assert line == (f"checkpoint {file}: has no chat template, which the adapter hf-chat needs; set `adapter: blind`")


def test_without_the_package_gguf(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whatif.models.local.gguf_files.find_spec", lambda name: None)
    assert refusal(lambda: load(whole)) == (
        f"checkpoint {whole}: gguf is not installed; it comes with the extra `real`: pip install 'whatif-bench[real]'"
    )
