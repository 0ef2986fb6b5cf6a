"""Processors without their video part, whose libraries are missing, are the family's own for images and text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.models.families import CHAT, checkpoint, picture
from whatif.models.local.processors import _VIDEO_FAMILIES, load_processor

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


def encoded(processor: Any) -> dict[str, Any]:
    content = [{"type": "image", "image": picture(0)}, {"type": "text", "text": "how many dots?"}]
    return dict(
        processor.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=True, return_dict=True, return_tensors="pt"
        )
    )


def loaded(folder: Path, family: str) -> Any:
    return load_processor(str(folder), family, {"local_files_only": True})


def assert_same(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert first.keys() == second.keys()
    for name, value in first.items():
        assert torch.equal(value, second[name]), name


@pytest.mark.parametrize("family", CHAT)
def test_it_is_saved_and_loaded_as_the_familys_own(family: str, tmp_path: Path) -> None:
    processor = loaded(checkpoint(family), family)
    processor.save_pretrained(tmp_path / "saved")
    told = json.loads((tmp_path / "saved" / "processor_config.json").read_text())
    assert told["processor_class"] == type(processor).__name__
    assert issubclass(type(processor), getattr(transformers, type(processor).__name__))
    assert_same(encoded(loaded(tmp_path / "saved", family)), encoded(processor))


@pytest.mark.parametrize("family", _VIDEO_FAMILIES)
def test_settings_of_its_video_part_are_not_read(family: str, tmp_path: Path) -> None:
    """A checkpoint that was saved where the video libraries are installed has them."""
    folder = CHAT[family](tmp_path)
    before = encoded(loaded(folder, family))
    path = folder / "processor_config.json"
    told = json.loads(path.read_text())
    assert "video_processor" not in told
    kind = _VIDEO_FAMILIES[family].replace("Processor", "VideoProcessor")
    path.write_text(json.dumps({**told, "video_processor": {"video_processor_type": kind, "size": {"height": 5}}}))
    assert_same(encoded(loaded(folder, family)), before)
