"""The captions of the released COCO-Counterfactuals, for tests that need `WHATIF_DATA`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

needs_released_captions = pytest.mark.skipif(
    "WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data"
)


def released_captions() -> list[dict[str, str]]:
    """The 17,410 released lines: id, caption_0, caption_1, image_0, image_1."""
    file = Path(os.environ["WHATIF_DATA"]) / "coco-counterfactuals" / "metadata.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
