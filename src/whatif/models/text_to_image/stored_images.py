"""Draws only images that are not stored yet, and stores each new one at once.

An image is stored by its request: the identity of the generator, the prompts, the seed and the place in a batch. So a
job that is killed resumes at the next image, and no image is drawn or paid for twice.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.models.responses.store import ResponseStore, Run, model_label, request_key, store_path
from whatif.models.text_to_image import Drawing, ImageGenerator, ImageRequest

_READ_AT_ONCE = 16  # stored replies, of a few megabytes each


def image_store_path() -> Path:
    """The path of the store of images: beside that of answers, `.whatif/responses-images.sqlite` by default."""
    path = store_path()
    return path.with_name(f"{path.stem}-images{path.suffix}")


def drawn_images(
    requests: Sequence[ImageRequest], generator: ImageGenerator, store: ResponseStore
) -> Iterator[tuple[int, Drawing]]:
    """The place of each request and what was drawn, stored ones first; requests that are the same are drawn once.

    An image is stored before it is yielded, and so is a reply without a usable image. An error is not stored. If
    another process stored a reply first, that one is yielded.

    Raises ValueError when a request has another number of prompts than the generator takes, WhatifError as the
    generator does, and when a stored reply is not a drawing.
    """
    if not requests:
        return
    asked = [_asked(request, generator) for request in requests]
    keys = [request_key(one) for one in asked]
    places: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    known = store.known(places)
    missing = [same[0] for key, same in places.items() if key not in known]
    generator.count_stored(len(known))
    try:
        here = [key for key in places if key in known]
        for start in range(0, len(here), _READ_AT_ONCE):
            for key, answer in sorted(store.get(here[start : start + _READ_AT_ONCE]).items()):
                drawing = _drawing(answer, key, generator.prompts, store)
                yield from ((place, drawing) for place in places[key])
        for number, drawing in generator.draw_as_they_come([requests[place] for place in missing]):
            place = missing[number]
            stands = _kept(keys[place], asked[place], drawing, generator.prompts, store)
            yield from ((same, stands) for same in places[keys[place]])
    finally:
        store.record_run(Run(model_label(generator.identity), len(requests) - len(missing), len(missing)))


def _asked(request: ImageRequest, generator: ImageGenerator) -> dict[str, Any]:
    if len(request.prompts) != generator.prompts:
        raise ValueError(f"{request.name}: has {len(request.prompts)} prompts, the generator takes {generator.prompts}")
    return {
        "identity": dict(generator.identity),
        "prompt": list(request.prompts),
        "seed": request.seed,
        "place": generator.place(request),
    }


def _kept(key: str, asked: Mapping[str, Any], drawing: Drawing, images: int, store: ResponseStore) -> Drawing:
    """Stores a drawing; returns the one that is stored."""
    if drawing.status == "error":
        return drawing
    if drawing.status == "ok":
        encoded = [base64.b64encode(image).decode() for image in drawing.images]
        answer: dict[str, Any] = {"status": "ok", "response": canonical_json({"images": encoded})}
    else:
        answer = {"status": "none", "reason": drawing.reason}
    return _drawing(store.put(key, asked, answer), key, images, store)


def _drawing(answer: Mapping[str, Any], key: str, images: int, store: ResponseStore) -> Drawing:
    if answer["status"] == "none":
        return Drawing(status="none", reason=answer.get("reason"))
    try:
        found = [base64.b64decode(image, validate=True) for image in json.loads(answer["response"])["images"]]
    except (ValueError, TypeError, KeyError, RecursionError, binascii.Error):
        found = []
    if len(found) != images:
        raise WhatifError(
            f"{store.path}: the answer to {key} is not a drawing of {images} images; export the store, remove this "
            "line, and merge the rest into a new store"
        )
    return Drawing(tuple(found))
