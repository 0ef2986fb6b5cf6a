"""A checkpoint with a LoRA answers like the checkpoint into which the LoRA was merged."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.models.families import OPTIONS, checkpoint, loaded, network, picture, question, questions_sharing_images
from tests.tiny_checkpoints.lora import CHAT, LANGUAGE, merged, tiny_lora
from whatif.engine.errors import WhatifError
from whatif.models import Answer, Question
from whatif.models.local.lora import add_lora

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
pytest.importorskip("peft")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests of folders are cached in the current folder."""
    monkeypatch.chdir(tmp_path)


def questions() -> list[Question]:
    """Open and ranked ones, several about one image."""
    asked = questions_sharing_images()[:5]
    return [*asked, *(replace(one, options=OPTIONS) for one in asked)]


def answers(family: str, folder: Path | None = None, **more: Any) -> list[Answer]:
    return list(loaded(family, folder, max_new_tokens=4, **more).answer(questions()))


def losses(given: list[Answer]) -> list[float]:
    return [score.mean for answer in given for score in answer.option_scores or ()]


def said(given: list[Answer]) -> list[str | None]:
    return [answer.response for answer in given]


KINDS: list[tuple[str, str, dict[str, Any]]] = [
    ("llava", CHAT, {}),
    ("qwen2_5_vl", CHAT, {"target_modules": ["q_proj"], "bias": "all"}),
    ("blip2-t5", CHAT, {"target_modules": ["q", "v"]}),
    ("blind", LANGUAGE, {"target_modules": "all-linear", "use_rslora": True, "init_lora_weights": "gaussian"}),
    ("blind", LANGUAGE, {"use_dora": True, "rank_pattern": {"q_proj": 2}, "alpha_pattern": {"q_proj": 5}}),
    ("blind", LANGUAGE, {"target_modules": ["embed_tokens"], "modules_to_save": ["lm_head", "norm"]}),
    ("blind", LANGUAGE, {"target_modules": r".*layers\.1.*q_proj", "trainable_token_indices": {"embed_tokens": [5]}}),
]


@pytest.mark.parametrize(
    ("family", "kind", "more"), [pytest.param(*one, id=f"{one[0]}-{'-'.join(one[2])}") for one in KINDS]
)
def test_answers_and_losses_are_those_of_the_merged_checkpoint(
    family: str, kind: str, more: dict[str, Any], tmp_path: Path
) -> None:
    base = checkpoint(family)
    lora = tiny_lora(tmp_path / "lora", base, kind, **more)
    with_lora, without = answers(family, lora=str(lora)), answers(family)
    expected = answers(family, merged(tmp_path / "merged", base, lora, kind))
    assert said(with_lora) == said(expected)
    assert losses(with_lora) == pytest.approx(losses(expected), abs=1e-4)
    assert said(with_lora) != said(without)
    assert max(abs(one - other) for one, other in zip(losses(with_lora), losses(without), strict=True)) > 0.1


def test_no_model_is_looked_for_where_the_adapter_says(tmp_path: Path) -> None:
    lora = tiny_lora(tmp_path / "lora", checkpoint("llava"))
    expected = answers("llava", lora=str(lora))
    settings = json.loads((lora / "adapter_config.json").read_text())
    settings.update(base_model_name_or_path="nobody/nothing", revision="0123abc")
    settings["auto_mapping"] = {"base_model_class": "Other", "parent_library": "nowhere.modeling"}
    (lora / "adapter_config.json").write_text(json.dumps(settings))
    assert answers("llava", lora=str(lora)) == expected


def test_names_of_before_transformers_5_are_understood(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    lora = tiny_lora(tmp_path / "lora", checkpoint("llava"), target_modules=r".*language_model.*q_proj")
    expected = answers("llava", lora=str(lora))
    file = lora / "adapter_model.safetensors"
    before = {
        name.replace(".model.language_model.", ".language_model.model."): one for name, one in load_file(file).items()
    }
    save_file(before, file)
    assert answers("llava", lora=str(lora)) == expected


def test_in_half_precision_the_weights_of_the_adapter_are_not_rounded(tmp_path: Path) -> None:
    lora = tiny_lora(tmp_path / "lora", checkpoint("llava"))
    model = network(loaded("llava", dtype="bfloat16", lora=str(lora)))
    assert model.dtype == torch.bfloat16
    kept = {name: one for name, one in model.named_parameters() if "lora_A" in name}
    whole = dict(network(loaded("llava", lora=str(lora))).named_parameters())
    assert kept and all(torch.equal(one, whole[name]) for name, one in kept.items())
    assert not any(one.requires_grad for one in model.parameters())
    assert not any(module.training for module in model.modules())


@pytest.mark.skipif(find_spec("accelerate") is None, reason="accelerate is not installed")
def test_a_model_that_accelerate_places_answers_as_one_that_is_not(tmp_path: Path) -> None:
    lora = str(tiny_lora(tmp_path / "lora", checkpoint("llava")))
    assert answers("llava", lora=lora, device_map="auto") == answers("llava", lora=lora)


@pytest.mark.parametrize("places", [{"a": 0, "b": "cpu"}, {"a": "cpu", "b": "disk"}])
def test_a_checkpoint_that_is_not_on_the_gpus_as_a_whole(places: dict[str, Any], tmp_path: Path) -> None:
    model = network(loaded("llava"))
    model.hf_device_map = places
    with pytest.raises(WhatifError, match=r"^lora \S+: a part of the checkpoint does not fit on the GPUs"):
        add_lora(model, tmp_path)


@pytest.mark.skipif(
    find_spec("bitsandbytes") is None or find_spec("accelerate") is None, reason="bitsandbytes is not installed"
)
@pytest.mark.parametrize("bits", ["4bit", pytest.param("8bit", marks=pytest.mark.soak)])
def test_a_quantised_checkpoint_takes_a_lora(tmp_path: Path, bits: str) -> None:
    from tests.tiny_checkpoints import random_llava

    base = random_llava(tmp_path / "llava", 2, layers=2, hidden_size=128)  # 4 bits are blocks of 64 weights
    lora = str(tiny_lora(tmp_path / "lora", base, target_modules=r".*language_model.*q_proj"))
    asked = [question([picture(1)], options=OPTIONS)]
    model = loaded("llava", base, quantization=bits, lora=lora)
    layer = network(model).get_decoder().layers[1].self_attn.q_proj
    assert type(layer.base_layer).__module__.startswith("bitsandbytes")
    inputs = torch.randn(2, 128, generator=torch.Generator().manual_seed(0))
    added = layer.scaling["default"] * layer.lora_B["default"](layer.lora_A["default"](inputs))
    assert torch.allclose(layer(inputs), layer.base_layer(inputs) + added, atol=1e-5) and added.abs().max() > 0.1
    without = loaded("llava", base, quantization=bits)
    assert losses(list(model.answer(asked))) != pytest.approx(losses(list(without.answer(asked))), abs=0.1)


def test_the_key_of_answers_has_the_digest_of_the_files(tmp_path: Path) -> None:
    lora = tiny_lora(tmp_path / "lora", checkpoint("llava"))
    before, found = loaded("llava").identity, loaded("llava", lora=str(lora)).identity
    assert before is not None and found is not None
    assert {**before, "lora": found["lora"]} == found and "lora" not in before
    moved = Path(shutil.copytree(lora, tmp_path / "moved"))
    assert loaded("llava", lora=str(moved)).identity == found
    other = loaded("llava", lora=str(tiny_lora(tmp_path / "other", checkpoint("llava"), seed=1))).identity
    assert other is not None and other["lora"] != found["lora"] and other["files"] == found["files"]


@pytest.fixture
def with_an_adapter(tmp_path: Path) -> Path:
    """A checkpoint beside whose weights lies a LoRA, which the library would add if peft is installed."""
    folder = tmp_path / "hub" / "models--a--b" / "snapshots" / "0123abc"
    shutil.copytree(checkpoint("llava"), folder)
    tiny_lora(folder, checkpoint("llava"))
    (tmp_path / "hub" / "models--a--b" / "refs").mkdir()
    (tmp_path / "hub" / "models--a--b" / "refs" / "main").write_text("0123abc")
    return folder


def test_an_adapter_in_the_folder_of_a_checkpoint_is_not_added_silently(with_an_adapter: Path) -> None:
    with pytest.raises(WhatifError, match=rf"^checkpoint {with_an_adapter}: holds an adapter \(adapter_config.json\)"):
        loaded("llava", with_an_adapter)


def test_nor_is_one_in_a_checkpoint_of_the_hub(with_an_adapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(with_an_adapter.parents[2]))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(WhatifError, match=r"^checkpoint a/b: holds an adapter \(adapter_config.json\)"):
        loaded("llava", Path("a/b"))
