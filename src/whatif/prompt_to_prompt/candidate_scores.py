"""Draws and measures many candidates of each caption pair, once: settings, ids and scores, without the images.

COCO-Counterfactuals 3.2 and B.1.2. Results are stored as soon as a run is measured: a job that is killed loses one run,
and a new run draws only what is missing, for any division of the pairs into parts.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from whatif.artifacts.reader import canonical_json
from whatif.errors import WhatifError
from whatif.models.order import in_order
from whatif.models.responses.store import ResponseStore, Run, model_label, request_key
from whatif.params.base import Span
from whatif.progress import progress
from whatif.prompt_to_prompt.candidate_runs import place_of, runs_of
from whatif.prompt_to_prompt.image_maker import PictureMaker, Row
from whatif.prompt_to_prompt.pair_candidates import draw_candidate

_CANDIDATES_AT_ONCE = 4096  # looked up and drawn in runs together
_IDS = ("image_id_0", "image_id_1")
_SCORES = ("caption_image_0", "caption_image_1", "image_image", "directional")
_Asked = tuple[int, str, dict[str, Any], dict[str, Any]]  # number, key, request, row


def candidate_rows(
    pairs: Sequence[Row],
    maker: PictureMaker,
    store: ResponseStore,
    *,
    candidates: int,
    seed: int,
    p: Span,
    guidance: Span,
    what: str = "candidates",
) -> Iterator[dict[str, Any]]:
    """Rows of `pairs` with `candidates` measured pairs of images for each caption pair, in the order of `pairs`.

    A caption pair has `pair_id`, captions, subjects and `provenance`. Each row is the same for any division of the
    pairs into parts and after any interruption (see `whatif.prompt_to_prompt.candidate_runs`). No candidate is drawn
    twice: stored results are taken from `store`, and a result that another process stored first is used. `what` is the
    label of the progress bar.

    Raises WhatifError as `PictureMaker` does, and when a stored answer is not a candidate.
    """

    def rows() -> Iterator[dict[str, Any]]:
        for pair in pairs:
            for number in range(candidates):
                one = draw_candidate(pair["pair_id"], number, seed, p=p, guidance=guidance)
                yield {**pair, **asdict(one)}

    total = len(pairs) * candidates
    arriving = progress(_as_they_come(rows(), maker, store), total, what, "candidate")
    yield from in_order(iter(arriving), total)


def _as_they_come(
    rows: Iterator[dict[str, Any]], maker: PictureMaker, store: ResponseStore
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Number and finished row of each candidate, known candidates first."""
    numbered = enumerate(rows)
    hits = misses = 0
    try:
        while part := [_asked(number, row, maker) for number, row in itertools.islice(numbered, _CANDIDATES_AT_ONCE)]:
            known = store.get(key for _, key, _, _ in part)
            missing = [asked for asked in part if asked[1] not in known]
            hits += len(part) - len(missing)
            for number, key, _, row in part:
                if key in known:
                    yield number, {**row, **_found(known[key], key, store)}
            placed = ((place_of(asked[3]["pair_id"], asked[3]["candidate"], maker.width), asked) for asked in missing)
            for run in runs_of(placed, maker.width):
                done = _drawn(run, maker, store)
                misses += len(done)
                yield from done
    finally:
        store.record_run(Run(model_label(maker.identity), hits, misses))


def _asked(number: int, row: dict[str, Any], maker: PictureMaker) -> _Asked:
    request = {
        "identity": maker.identity,
        "prompt": [row["caption_0"], row["caption_1"]],
        **{name: row[name] for name in ("seed", "p", "guidance")},
        "place": place_of(row["pair_id"], row["candidate"], maker.width),
    }
    return number, request_key(request), request, row


def _drawn(run: Sequence[_Asked | None], maker: PictureMaker, store: ResponseStore) -> list[tuple[int, dict[str, Any]]]:
    """Draws, measures and stores a run; returns the results as stored."""
    rows = [asked and asked[3] for asked in run]
    pictures = maker.draw(rows)
    measured = maker.measure(rows, pictures)
    answers = []
    for asked, pair, scores in zip(run, pictures, measured, strict=True):
        if asked is not None:
            images = maker.images(asked[3], pair, licence="")
            ids = {name: image["image_id"] for name, image in zip(_IDS, images, strict=True)}
            answers.append((asked[1], asked[2], {"status": "ok", "response": canonical_json({**ids, **scores})}))
    stands = store.put_all(answers)
    return [(asked[0], {**asked[3], **_found(stands[asked[1]], asked[1], store)}) for asked in run if asked is not None]


def _found(answer: Mapping[str, Any], key: str, store: ResponseStore) -> dict[str, Any]:
    """The stored ids and scores."""
    try:
        found = json.loads(answer["response"])
        ids = {name: found[name] for name in _IDS}
        scores = {name: found[name] for name in _SCORES}
        valid = all(isinstance(value, str) for value in ids.values()) and all(
            isinstance(value, float) and math.isfinite(value) for value in scores.values()
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        valid = False
    if not valid:
        raise WhatifError(
            f"{store.path}: the answer to {key} is not a candidate (image ids and similarities); export the store, "
            "remove this line, and merge the rest into a new store"
        )
    return {**ids, **scores}
