"""The data card of a folder of counterfactual pairs, with the header that the Hugging Face hub reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

SPLIT = "test"
NUMBERS = ("p", "guidance", "caption_image_0", "caption_image_1", "image_image", "directional")
# What the hub knows of the licences of our pictures; anything else is `other`, and named in the card.
_HUB_LICENCES = {"CC0-1.0": "cc0-1.0", "CC-BY-4.0": "cc-by-4.0"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_PLACE = re.compile(r"{{(\w+)}}")
_TEMPLATE = """\
---
pretty_name: "COCO-Counterfactuals"
license:{{licences}}
task_categories:
- zero-shot-image-classification
- image-to-text
tags:
- counterfactual
- image-text-matching
- image-text-retrieval
- synthetic
size_categories:
- {{size}}
configs:
- config_name: default
  data_files:
  - split: {{split}}
    path: data/{{split}}-*.parquet
---

# COCO-Counterfactuals

{{pairs}} pairs of captions that differ in one noun, each with a pair of pictures that were made to differ in the same
thing alone: {{pictures}} pictures, {{subjects}} different pairs of altered subjects. Side 0 is the original, side 1 its
counterfactual.

```python
from datasets import load_dataset

pairs = load_dataset("THIS_FOLDER", split="{{split}}")
pairs[0]["caption_0"], pairs[0]["image_0"]
```

## Fields

| field | what it is |
|---|---|
| `id` | of the pair; that of the original caption |
| `caption_0`, `caption_1` | the original caption and its counterfactual |
| `subject_0`, `subject_1` | the noun in which they differ |
| `image_0`, `image_1` | the picture of each caption |
| `p` | share of the denoising in which both pictures have the same self-attention |
| `guidance` | scale of classifier-free guidance |
| `seed` | of the noise that both pictures were made from |
| `caption_image_0`, `caption_image_1` | similarity of each caption to its picture, a cosine of CLIP embeddings |
| `image_image` | the same of both pictures |
| `directional` | cosine of the change from caption to caption and the change from picture to picture |
| `provenance` | JSON: whatever else is known, such as the similarity of the captions |

## How it was made

Each noun of a caption was masked, and a masked language model proposed other nouns for it. Of the captions that are
neither too like the original nor too unlike it, the one that a causal language model finds most probable became the
counterfactual. A diffusion model made several pairs of pictures for both captions with shared noise and shared
attention (prompt-to-prompt), each with other settings; of those that fit their captions and each other, the pair with
the highest directional similarity was kept. The method is that of Le, Lal and Howard, "COCO-Counterfactuals:
Automatically Constructed Counterfactual Examples for Image-Text Pairs", 2023.

## Numbers

| field | pairs | smallest | mean | largest |
|---|--:|--:|--:|--:|
{{numbers}}

## What to mind

Pictures and captions were made by models. A picture may fail to show what its caption says, and show what models have
learned of people; both captions may be true of one picture, most of all where one subject is a kind of the other.

## Licence

Of the pictures: {{picture_licences}}. Captions that come from MS-COCO are under CC-BY-4.0.
"""


def data_card(rows: Sequence[Row], *, licences: Iterable[str]) -> str:
    """The data card: a YAML header that the hub reads, what the rows are, how they were made, and their numbers."""
    known = sorted(set(licences))
    named = sorted({_HUB_LICENCES.get(licence, "other") for licence in known}) or ["other"]
    subjects = {(row["subject_0"].casefold(), row["subject_1"].casefold()) for row in rows}
    values = {
        "licences": "".join(f"\n- {licence}" for licence in named),
        "size": next((label for limit, label in _SIZES if len(rows) < limit), "n>1M"),
        "split": SPLIT,
        "pairs": f"{len(rows):,}",
        "pictures": f"{len({row[f'image_id_{side}'] for row in rows for side in (0, 1)}):,}",
        "subjects": f"{len(subjects):,}",
        "numbers": "\n".join(_numbers(rows)),
        "picture_licences": "; ".join(known) or "not known",
    }
    return _PLACE.sub(lambda place: values[place[1]], _TEMPLATE)


def _numbers(rows: Sequence[Row]) -> list[str]:
    """A table's lines: smallest, mean and largest of each number that is known."""
    lines = []
    for column in NUMBERS:
        values = [value for value in (number(row, column) for row in rows) if value is not None]
        if values:
            mean = sum(values) / len(values)
            lines.append(f"| `{column}` | {len(values):,} | {min(values):.4f} | {mean:.4f} | {max(values):.4f} |")
        else:
            lines.append(f"| `{column}` | 0 | | | |")
    return lines


def is_released(row: Row) -> bool:
    """Whether a pair was read from the release, which does not say how its pictures were made."""
    return bool(json.loads(row["provenance"]).get("released"))


def number(row: Row, column: str) -> float | None:
    """A setting or score of a pair, None where it is not known."""
    if column in ("p", "guidance") and is_released(row):
        return None
    value: float | None = row[column]
    return value
