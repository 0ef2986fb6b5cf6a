"""LoRA adapters that are incomplete, damaged, hostile or for something else: each is one line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.bad_inputs.outcome import refusal
from tests.models.families import checkpoint
from tests.tiny_checkpoints.gguf import tiny_gguf
from tests.tiny_checkpoints.lora import LANGUAGE, tiny_lora
from tests.tiny_checkpoints.spoilt import Spoil, as_pickle, change, lose, lose_a_weight, truncate, write
from whatif.engine.params.checkpoints import BlindTextModel, HuggingFaceChat
from whatif.models.local import lora as lora_module
from whatif.models.local.blind import blind
from whatif.models.local.chat import hugging_face_chat

torch = pytest.importorskip("torch")
pytest.importorskip("peft")
pytestmark = pytest.mark.slow

SETTINGS, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_lora(tmp_path_factory.mktemp("lora") / "made", checkpoint("blind"), LANGUAGE)


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "lora"))


def load(folder: Path | str, base: Path | None = None, **more: Any) -> object:
    place = str(base or checkpoint("blind"))
    return blind(BlindTextModel(adapter="blind", checkpoint=place, lora=str(folder), **more), 0)


def edit(change_of: Callable[[dict[str, Any]], object]) -> Spoil:
    """Other weights in the file."""

    def spoil(folder: Path) -> None:
        from safetensors.torch import load_file, save_file

        weights = load_file(folder / WEIGHTS)
        change_of(weights)
        save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})

    return spoil


def narrow(weights: dict[str, Any]) -> None:
    for name, weight in weights.items():
        if "lora_A" in name:
            weights[name] = weight[:, :40].contiguous()


def add_a_layer(weights: dict[str, Any]) -> None:
    weights.update({name.replace("layers.1.", "layers.7."): one.clone() for name, one in weights.items()})


_OF_ANOTHER = "is for another checkpoint: this one has no place for 4 of its weights, first "
_NO_FIT = "does not fit the checkpoint"
_LAYER = "model.layers.0.self_attn.q_proj.lora_A.weight"
FILES: list[tuple[str, Spoil, str]] = [
    ("no settings", lose(SETTINGS), "FOLDER: lacks adapter_config.json; give the folder that peft saved"),
    ("no JSON", write(SETTINGS, "{"), "FOLDER/adapter_config.json: is not JSON: "),
    ("a list", write(SETTINGS, "[]"), "FOLDER/adapter_config.json: peft_type is []; only 'LORA' is taken"),
    ("another kind", change(SETTINGS, peft_type="IA3"), "peft_type is 'IA3'; only 'LORA' is taken"),
    ("no kind", change(SETTINGS, peft_type=None), "peft_type is None; only 'LORA' is taken"),
    ("a text as rank", change(SETTINGS, r="many"), "FOLDER: cannot be loaded: "),
    ("rank 0", change(SETTINGS, r=0), "FOLDER: cannot be loaded: `r` should be a positive integer value"),
    ("a huge rank", change(SETTINGS, r=10**12), "has rank 1,000,000,000,000, but the longest side of a weight in"),
    ("a huge rank of one layer", change(SETTINGS, rank_pattern={"q_proj": 10**12}), "has rank 1,000,000,000,000, but"),
    ("another rank", change(SETTINGS, r=2), f"{_NO_FIT}: {_LAYER} has the shape [3, 48], where [2, 48] is needed"),
    ("code", change(SETTINGS, megatron_config={"a": 1}), "megatron_config is not supported; merge"),
    ("repeated layers", change(SETTINGS, layer_replication=[[0, 2]]), "layer_replication is not supported; merge"),
    ("a new setting", change(SETTINGS, lora_in_space=True), "lora_in_space is not supported; merge"),
    ("a changed base", change(SETTINGS, init_lora_weights="pissa_niter_4"), "is 'pissa_niter_4', which"),
    ("no such module", change(SETTINGS, target_modules=["c_attn"]), "cannot be loaded: Target modules {'c_attn'}"),
    ("fewer modules", change(SETTINGS, target_modules=["q_proj"]), f"{_OF_ANOTHER}model.layers.0."),
    (
        "more modules",
        change(SETTINGS, target_modules=["v_proj", "q_proj", "o_proj"]),
        "it lacks 4 weights, first model.layers.0.",
    ),
    ("no weights", lose(WEIGHTS), f"FOLDER: lacks {WEIGHTS}"),
    ("pickled weights", as_pickle(WEIGHTS), f"lacks {WEIGHTS}; adapter_model.bin is not read, because it can run code"),
    ("truncated", truncate(WEIGHTS, 0.9), f"FOLDER/{WEIGHTS}: is truncated: it has"),
    ("truncated header", truncate(WEIGHTS, 0.01), f"FOLDER/{WEIGHTS}: is truncated: it ends after"),
    ("a page of the web", write(WEIGHTS, "<!DOCTYPE html><html>"), f"FOLDER/{WEIGHTS}: is not a safetensors file"),
    ("a weight is missing", lose_a_weight(WEIGHTS), "it lacks 1 weights, first model.layers.0."),
    ("no weight", edit(dict.clear), "has rank 3, but the longest side of a weight in adapter_model.safetensors is 0"),
    ("another width", edit(narrow), f"FOLDER: {_NO_FIT}: {_LAYER} has the shape [3, 40], where [3, 48] is needed"),
    ("more layers", edit(add_a_layer), f"{_OF_ANOTHER}model.layers.7."),
]


@pytest.mark.parametrize(("spoil", "words"), [pytest.param(*rest, id=name) for name, *rest in FILES])
def test_files_of_an_adapter(spoil: Spoil, words: str, folder: Path) -> None:
    spoil(folder)
    line = refusal(lambda: load(folder))
    assert line.startswith(f"lora {folder}") and words in line.replace(str(folder), "FOLDER")


PLACES: list[tuple[str, str]] = [
    ("/no/such/folder", "lora /no/such/folder: no such folder; give the folder on this machine that holds adapter_con"),
    ("someone/adapter", "lora someone/adapter: no such folder; "),
    ("embedded:clip", "lacks adapter_config.json; give the folder that peft saved"),
]


@pytest.mark.parametrize(("name", "words"), PLACES)
def test_a_name_of_a_folder_that_is_none(name: str, words: str) -> None:
    assert words in refusal(lambda: load(name))


def test_the_adapter_of_another_architecture(folder: Path) -> None:
    settings = HuggingFaceChat(adapter="hf-chat", checkpoint=str(checkpoint("qwen2_5_vl")), lora=str(folder))
    line = refusal(lambda: hugging_face_chat(settings, 0))
    assert line.startswith(f"lora {folder}: is for another checkpoint")


@pytest.mark.skipif(find_spec("gguf") is None, reason="the package gguf is not installed (extra `real`)")
def test_a_gguf_file_takes_none(folder: Path, tmp_path: Path) -> None:
    file = tiny_gguf(tmp_path / "tiny.gguf")
    line = refusal(lambda: load(folder, file))
    assert line == f"checkpoint {file}: a LoRA is added to a folder or a hub checkpoint; remove `lora`"


def test_without_the_package_peft(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lora_module, "find_spec", lambda name: None)
    line = refusal(lambda: load(folder))
    assert line == (
        f"lora {folder}: peft is not installed; it comes with the extra `lora`: pip install 'whatif-bench[lora]'"
    )
