"""What differs between an original and its counterfactual: the words of two texts, the pixels of two pictures."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

Span = tuple[int, int]  # first character, and the one after the last

_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
# Texts with fewer words in common than this share are about something else; marking nearly every word helps nobody.
_LEAST_IN_COMMON = 0.2
# Pictures are re-encoded for the page. Differences of up to 12 of 255 levels are not shown, as they may come from that.
_NOISE = 12
_GAIN = 3
_LARGEST_MAP = 320  # pixels of the longer side


def word_differences(first: str, second: str) -> tuple[list[Span], list[Span]]:
    """The spans of the words that differ, in the first text and in the second.

    Words are compared without case; punctuation marks count as words. Neighbouring words make one span. No spans if
    the texts are equal or have almost no words in common.
    """
    words = [[*_WORD.finditer(text)] for text in (first, second)]
    compared = [[word[0].casefold() for word in side] for side in words]
    matcher = SequenceMatcher(None, compared[0], compared[1], autojunk=False)
    if matcher.ratio() < _LEAST_IN_COMMON:
        return [], []
    spans: tuple[list[Span], list[Span]] = ([], [])
    for operation, *bounds in matcher.get_opcodes():
        if operation == "equal":
            continue
        for side, start, end in ((0, *bounds[:2]), (1, *bounds[2:])):
            if start < end:
                spans[side].append((words[side][start].start(), words[side][end - 1].end()))
    return spans


def parts(text: str, spans: Sequence[Span]) -> list[str]:
    """The text cut at the spans: what is outside and what is inside of a span alternate, beginning outside."""
    cuts = [0, *(position for span in spans for position in span), len(text)]
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    return pieces if pieces[-1] or len(pieces) == 1 else pieces[:-1]


def marked(originals: Sequence[str], counterfactuals: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """For the texts of an item: `parts` of each original and of each counterfactual text, with differing words marked.

    As many of both: each is compared with the one in its place. One original and several counterfactual texts: each
    of these is compared with the original, and the original is not marked. In other cases nothing is marked.

    Yields pairs in order; where one side has no further text, its list is empty.
    """
    for place in range(max(len(originals), len(counterfactuals))):
        first = originals[place] if place < len(originals) else ""
        second = counterfactuals[place] if place < len(counterfactuals) else ""
        spans: tuple[list[Span], list[Span]] = ([], [])
        if len(originals) == len(counterfactuals):
            spans = word_differences(first, second)
        elif len(originals) == 1:
            spans = ([], word_differences(originals[0], second)[1])
        yield (
            parts(first, spans[0]) if place < len(originals) else [],
            parts(second, spans[1]) if place < len(counterfactuals) else [],
        )


def difference_map(first: bytes, second: bytes) -> bytes | None:
    """A PNG in which pixels that differ between two encoded pictures are bright: the amplified absolute difference.

    The pictures must have the same size; the map is reduced to 320 pixels. None if the sizes differ, if no pixel
    differs by more than the noise of encoding, or if a picture cannot be decoded.
    """
    import numpy as np
    from PIL import Image

    from whatif.engine.files import png
    from whatif.engine.files.image_decoding import UnreadableImageError, decode

    try:
        pictures = [np.asarray(decode(data).convert("RGB"), dtype=np.int16) for data in (first, second)]
    except UnreadableImageError:
        return None
    if pictures[0].shape != pictures[1].shape:
        return None
    levels = np.abs(pictures[0] - pictures[1]).max(axis=2)
    levels[levels <= _NOISE] = 0
    if not levels.any():
        return None
    bright = Image.fromarray(np.minimum(levels * _GAIN, 255).astype(np.uint8))
    scale = min(1.0, _LARGEST_MAP / max(bright.size))
    reduced = bright.resize(
        (max(1, round(bright.width * scale)), max(1, round(bright.height * scale))), Image.Resampling.BOX
    )
    return png.encode(reduced.convert("RGB"))


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height of an encoded picture in pixels, from its header; (0, 0) if it cannot be read."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as picture:
            return picture.size
    except (OSError, ValueError, Image.DecompressionBombError):
        return 0, 0
