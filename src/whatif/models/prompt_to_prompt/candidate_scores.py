"""Draws and measures many candidates of each caption pair, once: settings, ids and scores, without the images.

COCO-Counterfactuals 3.2 and B.1.2. Results are stored as soon as a run is measured: a job that is killed loses one run,
and a new run draws only what is missing, for any division of the pairs into parts. With the setting `stop` it also
loses the first steps of the candidates that wait for a full run, at most eight for each place.
"""

from __future__ import annotations

import itertools
import json
import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.params.base import Span
from whatif.engine.params.checkpoints import EarlyStop
from whatif.engine.progress import progress
from whatif.models.order import in_order
from whatif.models.prompt_to_prompt.attention import Begun
from whatif.models.prompt_to_prompt.candidate_runs import place_of, runs_of
from whatif.models.prompt_to_prompt.directional_similarity import STOPPED_AFTER
from whatif.models.prompt_to_prompt.image_maker import PictureMaker, Row
from whatif.models.prompt_to_prompt.pair_candidates import draw_candidate
from whatif.models.responses.store import ResponseStore, Run, model_label, request_key

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True)
class Predicted:
    """A run after `done` steps: its items that stop and those that go on, each at its place, with None at the others.

    `pictures` are the images predicted for the end, `scores` their similarities.
    """

    done: int
    stopped: list[Any]
    going: list[Any]
    begun: list[Begun]
    pictures: list[tuple[Image, Image]]
    scores: list[dict[str, float]]


_CANDIDATES_AT_ONCE = 4096  # looked up and drawn in runs together
_IDS = ("image_id_0", "image_id_1")
_SCORES = ("caption_image_0", "caption_image_1", "image_image", "directional")
_MOST_WAITING = 8  # candidates at one place, while another place has none
_Asked: TypeAlias = tuple[int, str, dict[str, Any], dict[str, Any]]  # number, key, request, row
_Results: TypeAlias = list[tuple[int, dict[str, Any]]]  # numbers and finished rows


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
    pairs into parts and after any interruption (see `whatif.models.prompt_to_prompt.candidate_runs`). No candidate is
    drawn twice: stored results are taken from `store`, and a result that another process stored first is used. `what`
    is the label of the progress bar.

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
            for asked in part:
                if asked[1] in known:
                    yield asked[0], {**asked[3], **_found(known[asked[1]], asked, store)}
            placed = ((place_of(asked[3]["pair_id"], asked[3]["candidate"], maker.width), asked) for asked in missing)
            for done in _drawn_runs(placed, maker, store):
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


def _drawn_runs(placed: Iterable[tuple[int, _Asked]], maker: PictureMaker, store: ResponseStore) -> Iterator[_Results]:
    """Draws candidates run by run, with their places; the results as stored, a run at a time."""
    if maker.stop is None:
        for run in runs_of(placed, maker.width):
            pictures = maker.draw(_rows(run))
            yield _stored(run, pictures, maker.measure(_rows(run), pictures), maker, store)
        return
    # What goes on waits for others at the other places, so that runs are full again.
    waiting: list[deque[tuple[_Asked, Begun]]] = [deque() for _ in range(maker.width)]
    for run in runs_of(placed, maker.width):
        predicted = begin(run, maker)
        yield _stored(predicted.stopped, predicted.pictures, predicted.scores, maker, store, after=predicted.done)
        for queue, asked, begun in zip(waiting, predicted.going, predicted.begun, strict=True):
            if asked is not None:
                queue.append((asked, begun))
        while all(waiting) or max(map(len, waiting)) > _MOST_WAITING:
            yield _finished(waiting, maker, store)
    while any(waiting):
        yield _finished(waiting, maker, store)


def _finished(waiting: Sequence[deque[tuple[_Asked, Begun]]], maker: PictureMaker, store: ResponseStore) -> _Results:
    """Draws the first that waits at each place to its end."""
    going = [queue.popleft() if queue else None for queue in waiting]
    run = [one and one[0] for one in going]
    pictures = maker.finish([one and one[1] for one in going])
    return _stored(run, pictures, maker.measure(_rows(run), pictures), maker, store)


def _rows(run: Sequence[_Asked | None]) -> list[dict[str, Any] | None]:
    return [asked and asked[3] for asked in run]


def _stored(
    run: Sequence[_Asked | None],
    pictures: Sequence[tuple[Image, Image]],
    measured: Sequence[dict[str, float]],
    maker: PictureMaker,
    store: ResponseStore,
    *,
    after: int | None = None,
) -> _Results:
    """Stores the ids and scores of a run, and with `after` the number of steps after which it was stopped."""
    answers = []
    for asked, pair, scores in zip(run, pictures, measured, strict=True):
        if asked is not None:
            images = maker.images(asked[3], pair, licence="")
            ids = {name: image["image_id"] for name, image in zip(_IDS, images, strict=True)}
            stopped = {} if after is None else {STOPPED_AFTER: after}
            response = canonical_json({**ids, **scores, **stopped})
            answers.append((asked[1], asked[2], {"status": "ok", "response": response}))
    stands = store.put_all(answers) if answers else {}
    return [(asked[0], {**asked[3], **_found(stands[asked[1]], asked, store)}) for asked in run if asked is not None]


def _found(answer: Mapping[str, Any], asked: _Asked, store: ResponseStore) -> dict[str, Any]:
    """The stored ids and scores, and the provenance of a candidate that was stopped."""
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
            f"{store.path}: the answer to {asked[1]} is not a candidate (image ids and similarities); export the "
            "store, remove this line, and merge the rest into a new store"
        )
    if STOPPED_AFTER not in found:
        return {**ids, **scores}
    told = {**json.loads(asked[3]["provenance"]), STOPPED_AFTER: found[STOPPED_AFTER]}
    return {**ids, **scores, "provenance": canonical_json(told)}


def begin(run: Sequence[Any], maker: PictureMaker) -> Predicted:
    """Draws the first steps of a run, whose items end with a row of `pairs`; None marks an unused place.

    Raises WhatifError as `PictureMaker.begin` and `PictureMaker.measure` do, ValueError if the maker stops nothing.
    """
    if maker.stop is None:
        raise ValueError("the maker has no setting `stop`")
    rows = [item and item[-1] for item in run]
    done = steps_before(maker.stop, maker.steps)
    begun, pictures = maker.begin(rows, done)
    scores = maker.measure(rows, pictures)
    hopeless = [is_hopeless(found, maker.stop) for found in scores]
    return Predicted(
        done,
        [item if stops else None for item, stops in zip(run, hopeless, strict=True)],
        [None if stops else item for item, stops in zip(run, hopeless, strict=True)],
        begun,
        pictures,
        scores,
    )


def steps_before(stop: EarlyStop, steps: int) -> int:
    """The number of steps after which images are predicted, at least 1.

    Raises ValueError for a single step, of which nothing can be left out.
    """
    if steps < 2:
        raise ValueError("`stop` needs at least 2 steps")
    return min(steps - 1, max(1, round(stop.after * steps)))


def is_hopeless(scores: Mapping[str, float], stop: EarlyStop) -> bool:
    """Whether one of the similarities of the predicted images is below its minimum."""
    told = min(scores["caption_image_0"], scores["caption_image_1"])
    return (
        told < stop.caption_image
        or scores["image_image"] < stop.image_image
        or scores["directional"] < stop.directional
    )
