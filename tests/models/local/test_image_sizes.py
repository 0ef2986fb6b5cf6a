"""A processor that makes images of another size than its model takes is reported when it is loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.models.families import CHAT, quick
from tests.tiny_checkpoints import tiny_clip, tiny_vilt
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import CrossEncoder, HuggingFaceChat, LocalCheckpoint
from whatif.models import load_matcher
from whatif.models.local.checkpoints import load_chat_model
from whatif.models.local.encoders import dual_encoder

pytest.importorskip("transformers")


def change(folder: Path, **values: Any) -> None:
    path = folder / "processor_config.json"
    told = json.loads(path.read_text())
    told["image_processor"].update(values)
    path.write_text(json.dumps(told))


@pytest.mark.parametrize(
    "values",
    [
        {"size": {"shortest_edge": 64}, "crop_size": {"height": 64, "width": 64}},
        {"size": {"height": 64, "width": 64}, "do_center_crop": False},
    ],
)
def test_a_clip_takes_one_size(tmp_path: Path, values: dict[str, Any]) -> None:
    folder = tiny_clip(tmp_path / "clip")
    dual_encoder(LocalCheckpoint(checkpoint=str(folder)))
    change(folder, **values)
    with pytest.raises(WhatifError) as error:
        dual_encoder(LocalCheckpoint(checkpoint=str(folder)))
    assert str(error.value) == (
        f"checkpoint {folder}: its processor makes images of 64 x 64 pixels, its model takes 32 x 32; fix "
        "preprocessor_config.json or processor_config.json (crop_size, size)"
    )


ONE_SIZE = ["llava", "llava_next", "llava_onevision", "mllama", "internvl", "gemma3"]


@pytest.mark.parametrize("family", quick("llava", "internvl", of=ONE_SIZE))
def test_a_chat_model_takes_one_size_of_images_or_tiles(family: str, tmp_path: Path) -> None:
    folder = CHAT[family](tmp_path / family)
    settings = HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder))
    load_chat_model(settings)
    size = {"height": 64, "width": 64}
    change(folder, size={"shortest_edge": 64} if family in ("llava", "llava_next") else size, crop_size=size)
    with pytest.raises(WhatifError, match=r"makes images of 64 x 64 pixels, its model takes \d+ x \d+; fix"):
        load_chat_model(settings)


def test_a_vilt_takes_any(tmp_path: Path) -> None:
    folder = tiny_vilt(tmp_path / "vilt")
    change(folder, size={"shortest_edge": 64})
    matcher = load_matcher("cross-encoder", CrossEncoder(adapter="cross-encoder", checkpoint=str(folder)))
    picture = Image.new("RGB", (48, 40), "red")
    assert matcher.match([("red", "dots")], [(picture, picture)]).shape == (1, 2, 2)
