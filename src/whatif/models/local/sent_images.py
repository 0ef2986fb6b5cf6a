"""What a processor made of the images of a conversation: their sizes in pixels, and their tokens in the prompt.

A size is the width and height in pixels of the area that the patches of an image cover, at the finest resolution at
which the model reads the whole image:

| family | size |
|---|---|
| LLaVA, Gemma 3, BLIP-2, InstructBLIP | the one size of all images; crops that Gemma 3 may add are not counted |
| LLaVA-NeXT | the image scaled into its grid of tiles, without the padding, whose features the model drops |
| LLaVA-OneVision | the only image of a conversation as in LLaVA-NeXT; several images are padded to one size |
| Qwen2-VL, Qwen2.5-VL, Qwen3-VL | the grid of patches times the size of a patch |
| Idefics3, SmolVLM, InternVL | the grid of tiles times the size of a tile, without the tile of the whole image |
| Llama 3.2 Vision | the grid of tiles times the size of a tile, with the padding, which the model reads |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image

Inputs: TypeAlias = Mapping[str, Any]
Size: TypeAlias = tuple[int, int]  # width and height in pixels
Rows: TypeAlias = Sequence[Sequence[Size]]  # conversations x their images

_TILE = re.compile(r"<row_(\d+)_col_(\d+)>")
_WHOLE_IMAGE = "<global-img>"


@dataclass(frozen=True)
class SentImages:
    """The images of a conversation as they were sent: their sizes, and their tokens together; None if not known."""

    sizes: tuple[Size, ...] | None
    tokens: int | None

    @property
    def columns(self) -> dict[str, Any]:
        """The fields of an `Answer`; a conversation without images has no sizes, and no tokens of images."""
        return {"image_sizes": self.sizes or None, "image_tokens": self.tokens or None}


def sent(configuration: Any, processor: Any, inputs: Inputs, images: Sequence[Sequence[Image]]) -> list[SentImages]:
    """What `inputs`, the processor's output for some conversations, contain of the images of each one."""
    sizes = sent_images(configuration, processor, inputs, [[image.size for image in row] for row in images])
    tokens: Sequence[int | None] = image_tokens(configuration, inputs) or [None] * len(sizes)
    return [SentImages(size, count) for size, count in zip(sizes, tokens, strict=True)]


def sent_images(configuration: Any, processor: Any, inputs: Inputs, images: Rows) -> list[tuple[Size, ...] | None]:
    """The size of each image of each conversation, in order, as the processor made it.

    `inputs` are the processor's output for the conversations, `configuration` is the model's, and `images` are the
    sizes of the decoded images. A conversation is None if the sizes cannot be read from `inputs`, as in families that
    are not in the table.
    """
    if not any(images):
        return [() for _ in images]
    read = _READERS.get(configuration.model_type, _same_size)
    made = read(configuration, processor, inputs, images)
    return [
        tuple(sizes) if sizes is not None and len(sizes) == len(row) else None
        for sizes, row in zip(made, images, strict=True)
    ]


def image_tokens(configuration: Any, inputs: Inputs) -> list[int] | None:
    """The number of positions of each prompt whose embedding is made for an image; separators are not counted.

    A Llama 3.2 Vision has no such positions: its text attends to the images through cross-attention. For it, this is
    the number of image positions that the text can attend to. None if the configuration names no image token.
    """
    if configuration.model_type == "mllama":
        return _attended(configuration, inputs)
    token = image_token(configuration)
    return None if token is None else (inputs["input_ids"] == token).sum(dim=1).tolist()


def image_token(configuration: Any) -> int | None:
    """The id of the token that stands for a part of an image in a prompt; None if the configuration has none."""
    for name in ("image_token_id", "image_token_index"):
        token = getattr(configuration, name, None)
        if token is not None:
            return int(token)
    return None


def _attended(configuration: Any, inputs: Inputs) -> list[int]:
    mask = inputs.get("cross_attention_mask")  # rows x tokens x images x tiles
    if mask is None:
        return [0] * len(inputs["input_ids"])
    vision = configuration.vision_config
    positions = (vision.image_size // vision.patch_size) ** 2 + 1  # the patches of a tile, and its class token
    return [positions * tiles for tiles in mask.amax(dim=1).sum(dim=(1, 2)).tolist()]


def _same_size(_: Any, __: Any, inputs: Inputs, images: Rows) -> list[list[Size] | None]:
    """Families whose images all have one size. Unknown if an image has several entries, or a size of its own."""
    pixels = inputs.get("pixel_values")  # images x channels x height x width
    if pixels is None or pixels.ndim != 4 or "image_sizes" in inputs or len(pixels) != sum(map(len, images)):
        return [None for _ in images]
    return [[_tile(inputs)] * len(row) for row in images]


def _one_size_and_crops(_: Any, __: Any, inputs: Inputs, images: Rows) -> list[list[Size] | None]:
    """Gemma 3 adds crops of images that are much wider or higher than a square, if it is told to."""
    return [[_tile(inputs)] * len(row) for row in images]


def _grids_of_patches(_: Any, processor: Any, inputs: Inputs, images: Rows) -> list[list[Size] | None]:
    side = processor.image_processor.patch_size
    grids = inputs["image_grid_thw"].tolist()  # images of all rows x (time, height, width) in patches
    return _by_row([(side * width, side * height) for _, height, width in grids], images)


def _scaled_into_tiles(_: Any, processor: Any, inputs: Inputs, images: Rows) -> list[list[Size] | None]:
    decoded = inputs["image_sizes"].tolist()  # images of all rows x (height, width)
    return _by_row([_scaled(processor, height, width) for height, width in decoded], images)


def _scaled_if_alone(_: Any, processor: Any, inputs: Inputs, images: Rows) -> list[list[Size] | None]:
    rows = _by_row(inputs["image_sizes"].tolist(), images)
    return [
        None
        if row is None
        else [_scaled(processor, height, width) if len(row) == 1 else _tile(inputs) for height, width in row]
        for row in rows
    ]


def _scaled(processor: Any, height: int, width: int) -> Size:
    """The size of an image inside the grid of tiles that the library chooses for it."""
    import numpy as np
    from transformers import image_processing_utils
    from transformers.image_utils import ChannelDimension

    library: Any = image_processing_utils

    grid = library.select_best_resolution((height, width), processor.image_processor.image_grid_pinpoints)
    blank = np.broadcast_to(np.uint8(0), (1, height, width))  # takes no memory
    made = library.get_patch_output_size(blank, grid, ChannelDimension.FIRST)
    return int(made[1]), int(made[0])


def _named_tiles(configuration: Any, processor: Any, inputs: Inputs, images: Rows) -> list[list[Size] | None]:
    """A tile begins with a token that names its place, and the whole image with another token."""
    width, height = _tile(inputs)
    shown = processor.tokenizer.convert_ids_to_tokens(image_token(configuration))
    made: list[list[Size] | None] = []
    for ids in inputs["input_ids"].tolist():
        sizes: list[Size] = []
        rows = columns = 1
        tokens = processor.tokenizer.convert_ids_to_tokens(ids)
        for token, after in pairwise(tokens):
            if after != shown:  # the text of a question may have the same tokens, but no image after them
                continue
            if place := _TILE.fullmatch(token):
                rows, columns = max(rows, int(place[1])), max(columns, int(place[2]))
            elif token == _WHOLE_IMAGE:
                sizes.append((columns * width, rows * height))
                rows = columns = 1
        made.append(sizes)
    return made


def _counted_tiles(configuration: Any, processor: Any, inputs: Inputs, images: Rows) -> list[list[Size] | None]:
    """The tokens of an image tell the number of its tiles; its shape tells how they are arranged."""
    width, height = _tile(inputs)
    made: list[list[Size] | None] = []
    for shown, row in zip(inputs["input_ids"] == image_token(configuration), images, strict=True):
        runs = [
            sum(1 for _ in run) // processor.image_seq_length for is_image, run in groupby(shown.tolist()) if is_image
        ]
        if len(runs) != len(row):
            made.append(None)
            continue
        grids = [_arranged(tiles - (tiles > 1), size) for tiles, size in zip(runs, row, strict=True)]
        made.append([(columns * width, rows * height) for columns, rows in grids])
    return made


def _arranged(tiles: int, size: Size) -> tuple[int, int]:
    """Columns and rows of so many tiles, with the ratio that is closest to the image's, as InternVL arranges them."""
    grids = [(columns, tiles // columns) for columns in range(1, tiles + 1) if tiles % columns == 0]
    return min(grids, key=lambda grid: abs(size[0] / size[1] - grid[0] / grid[1]))


def _canvases(configuration: Any, _: Any, inputs: Inputs, images: Rows) -> list[list[Size] | None]:
    width, height = _tile(inputs)
    grids = configuration.vision_config.supported_aspect_ratios  # rows and columns of tiles; number 0 is padding
    return [
        [(grids[number - 1][1] * width, grids[number - 1][0] * height) for number in numbers[: len(row)]]
        for numbers, row in zip(inputs["aspect_ratio_ids"].tolist(), images, strict=True)
    ]


def _tile(inputs: Inputs) -> Size:
    pixels: torch.Tensor = inputs["pixel_values"]  # ... x channels x height x width
    return int(pixels.shape[-1]), int(pixels.shape[-2])


def _by_row(values: Sequence[Any], images: Rows) -> list[list[Any] | None]:
    """Values of all images, divided among the conversations."""
    if len(values) != sum(map(len, images)):
        return [None for _ in images]
    remaining = iter(values)
    return [[next(remaining) for _ in row] for row in images]


_READERS: dict[str, Callable[[Any, Any, Inputs, Rows], list[list[Size] | None]]] = {
    "gemma3": _one_size_and_crops,
    "idefics3": _named_tiles,
    "internvl": _counted_tiles,
    "llava_next": _scaled_into_tiles,
    "llava_onevision": _scaled_if_alone,
    "mllama": _canvases,
    "qwen2_5_vl": _grids_of_patches,
    "qwen2_vl": _grids_of_patches,
    "qwen3_vl": _grids_of_patches,
    "smolvlm": _named_tiles,
}
