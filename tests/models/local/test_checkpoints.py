"""Error messages for unusable checkpoints."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.models.families import checkpoint
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models.local.checkpoints import folder_of, load_chat_model

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(checkpoint("llava"), tmp_path / "checkpoint"))


def loading(folder: Path | str, **more: str) -> None:
    load_chat_model(HuggingFaceChat.model_validate({"adapter": "hf-chat", "checkpoint": str(folder), **more}))


def lose(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def lose_a_tensor(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights.pop(max(name for name in weights if "mlp" in name))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def truncate(folder: Path) -> None:
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[:1000])


def split_and_lose_a_part(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def make_it_text_only(folder: Path) -> None:
    transformers.LlamaConfig().save_pretrained(folder)


def make_its_settings_contradict(folder: Path) -> None:
    settings = json.loads((folder / "config.json").read_text())
    settings["text_config"]["hidden_size"] = 47  # not to be shared among 2 heads
    (folder / "config.json").write_text(json.dumps(settings))


def make_it_encoder_decoder(folder: Path) -> None:
    transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
        transformers.ViTConfig(), transformers.GPT2Config()
    ).save_pretrained(folder)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lose("config.json"), r"lacks config.json"),
        (lose("model.safetensors"), r"lacks weights \(model.safetensors"),
        (lose("processor_config.json"), r"lacks a processor \(processor_config.json or preprocessor_config.json"),
        (lose("chat_template.jinja"), r"has no chat template"),
        (lose_a_tensor, r"its files lack 1 weights, first .*mlp"),
        (truncate, r"model.safetensors: is truncated: it ends after 1,000 bytes, within its header"),
        (split_and_lose_a_part, r"lacks 1 of 2 weight files, first model-00002-of-00002.safetensors"),
        (lambda folder: (folder / "config.json").write_text("{"), r"cannot be loaded"),
        (make_its_settings_contradict, r"cannot be loaded"),
        (make_it_text_only, r"'llama' is not a vision-language model"),
        (make_it_encoder_decoder, r"is an encoder-decoder"),
    ],
)
def test_a_spoilt_folder_is_named_with_what_is_missing(
    folder: Path, spoil: Callable[[Path], None], message: str
) -> None:
    spoil(folder)
    with pytest.raises(WhatifError, match=message) as caught:
        loading(folder)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["/no/such/folder", "./nowhere", "~/nowhere", "nowhere", "a/b/c"])
def test_a_missing_folder_is_not_looked_for_on_the_hub(name: str) -> None:
    with pytest.raises(WhatifError, match=f"checkpoint {name}: no such folder; .*hub id such as"):
        loading(name)


def test_a_file_is_no_checkpoint(folder: Path) -> None:
    with pytest.raises(WhatifError, match=r"model.safetensors: is a file; give the folder"):
        loading(folder / "model.safetensors")


def test_a_device_that_is_not_there(folder: Path) -> None:
    with pytest.raises(WhatifError, match="device abacus: not usable here"):
        loading(folder, device="abacus")


def test_a_device_without_memory_holds_no_weights(folder: Path) -> None:
    with pytest.raises(WhatifError, match=r"^device meta: has no weights"):
        loading(folder, device="meta")


def test_a_folder_has_no_revisions(folder: Path) -> None:
    with pytest.raises(WhatifError, match=r"is a folder, which has no revisions; remove `revision` \(0123abc\)"):
        loading(folder, revision="0123abc")


def test_a_device_that_is_too_small(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate\nmore")

    monkeypatch.setattr(transformers.LlavaForConditionalGeneration, "to", full)
    with pytest.raises(WhatifError, match=r"cannot be put on cpu: CUDA out of memory. Tried to allocate$"):
        loading(folder)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_cuda_without_cuda(folder: Path) -> None:
    with pytest.raises(WhatifError, match="device cuda: not usable here"):
        loading(folder, device="cuda")


def test_the_model_comes_ready_to_be_asked() -> None:
    model, processor = load_chat_model(
        HuggingFaceChat(adapter="hf-chat", checkpoint=str(checkpoint("llava")), dtype="float16")
    )
    assert not model.training
    assert model.dtype == torch.float16
    assert processor.chat_template


def test_a_folder_of_a_python_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "weights_of_mine" / "model").mkdir(parents=True)
    (tmp_path / "weights_of_mine" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert folder_of("package:weights_of_mine/model") == tmp_path / "weights_of_mine" / "model"
    with pytest.raises(WhatifError, match="the package weights_of_mine has no folder 'elsewhere'"):
        folder_of("package:weights_of_mine/elsewhere")
    with pytest.raises(WhatifError, match="Python package nosuch_weights is not installed"):
        folder_of("package:nosuch_weights/model")
    with pytest.raises(WhatifError, match=r"Python package .* is not installed"):
        folder_of("package:../model")
