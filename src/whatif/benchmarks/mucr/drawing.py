"""Draws candidates of the images of causes and effects, in every style, with one generator (MuCR 3.1)."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import yaml

from whatif.benchmarks.mucr.drawn_scenes import NoDrawnSceneError, scene_image
from whatif.benchmarks.mucr.schemas import SIDES
from whatif.benchmarks.mucr.settings import DrawnImages, DrawSettings
from whatif.benchmarks.shared.evaluation import warn
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.artifacts.images import DRAWN_LICENCE, SortedImages, image_row
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.graph.task import Task
from whatif.engine.progress import progress
from whatif.engine.random_streams import stream
from whatif.models.text_to_image import Drawing, ImageGenerator, ImageRequest, load
from whatif.models.text_to_image.stored_images import drawn_images, image_store_path

STYLES_FILE = "styles.yaml"
NO_DESCRIPTION = "no description"
NOT_DRAWN = "not drawn"
_REMEDY = "replace or remove this generator in generate.mucr.generators of params.yaml"
_IDENTITY = ("adapter", "model", "base_url", "checkpoint", "revision", "files")  # what names a generator

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Sentence:
    """A cause or an effect that is to be drawn in a style: the pair, the side, and the prompt."""

    pair: Row
    style: str
    side: str
    prompt: str

    def candidate_id(self, generator: str, place: int) -> str:
        """The id of candidate `place` of a generator."""
        return f"{self.pair['pair_id']}-{self.style}-{self.side}-{generator}-{place:02d}"


@dataclass(frozen=True)
class Candidate:
    """Candidate `place` of a sentence: an encoded image, or the reason and detail why there is none."""

    sentence: Sentence
    place: int
    image: bytes | None
    seed: int | None = None
    source: str = ""
    rejection: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Drawn:
    """The candidates of a generator in any order, their licence, what is known of it, and its transient errors.

    `note` returns its remark on the run.
    """

    candidates: Iterator[Candidate]
    licence: str
    known: Mapping[str, Any]
    transient: Counter[str] = field(default_factory=Counter)
    note: Callable[[], str] = lambda: ""


def write_candidates(task: Task[DrawSettings]) -> None:
    """Writes the candidates of the job's generator for its part of the pairs, their images, and what was not drawn.

    A pair with images of the released form in a style is not drawn in this style. Every other sentence gets
    `candidates` images; each of them is a row of `candidates` or a rejection with its reason: the generator refused
    it, the image was damaged, the pair has no description, or, for the generator `scenes`, no drawn scene. Transient
    errors leave the outputs unfinished.

    Raises WhatifError as the generator does, and when nothing at all was drawn.
    """
    key = task.wildcards["generator"]
    pairs = list(task.rows("pairs"))
    chosen = task.part_of(len(pairs))
    sentences, undescribed = _sentences(task, pairs[chosen.start : chosen.stop])
    number = task.settings.candidates
    rejections = [
        rejection(sentence.candidate_id(key, place), NO_DESCRIPTION, "the pair has no contextual description")
        for sentence in undescribed
        for place in range(number)
    ]
    drawn = _drawn(task, sentences)
    rows = []
    with SortedImages(task.outputs.writer("drawn-images")) as images:
        total, what = len(sentences) * number, f"{key} {task.part}"
        for candidate in progress(drawn.candidates, total, what, "image", note=drawn.note):
            candidate_id = candidate.sentence.candidate_id(key, candidate.place)
            if candidate.image is None:
                rejections.append(rejection(candidate_id, *candidate.rejection))
                continue
            image = image_row(candidate.image, *_size(candidate.image), candidate.source, drawn.licence)
            images.add(image)
            rows.append(_row(candidate_id, candidate, key, image["image_id"], drawn.known))
    task.outputs.write("candidates", rows)
    task.outputs.write("undrawn", rejections)
    if said := drawn.note():
        task.say(f"{task.name}: {said}")
    _report(task, key, len(rows), rejections, drawn.transient)


def read_styles() -> dict[str, str]:
    """The prompt of each style, with `{description}`."""
    text = (resources.files(__package__) / STYLES_FILE).read_text(encoding="utf-8")
    styles: dict[str, str] = yaml.safe_load(text)
    return styles


def _sentences(task: Task[DrawSettings], pairs: Sequence[Row]) -> tuple[list[Sentence], list[Sentence]]:
    """What is to be drawn, cause and effect of a pair and style one after the other; and what has no description."""
    prompts = read_styles()
    provided = {(row["pair_id"], row["style"]) for row in task.rows("provided", ["pair_id", "style"])}
    described = {row["pair_id"]: row for row in task.rows("descriptions")}
    found: list[Sentence] = []
    lacking: list[Sentence] = []
    for pair in pairs:
        for style in task.settings.styles:
            if (pair["pair_id"], style) in provided:
                continue
            texts = described.get(pair["pair_id"])
            told = {side: "" if texts is None else texts[f"{side}_description"] for side in SIDES}
            both = [Sentence(pair, style, side, prompts[style].format(description=told[side])) for side in SIDES]
            (found if all(told.values()) else lacking).extend(both)
    return found, lacking


def _drawn(task: Task[DrawSettings], sentences: Sequence[Sentence]) -> Drawn:
    """The candidates of the job's generator."""
    key, number = task.wildcards["generator"], task.settings.candidates
    settings = task.settings.generators[key]
    if isinstance(settings, DrawnImages):
        return Drawn(_of_scenes(sentences, number, settings.side), DRAWN_LICENCE, {"adapter": settings.adapter})
    if not sentences:  # nothing is loaded
        return Drawn(iter(()), settings.licence, {})
    generator = load(settings, task.seed)
    known = {name: generator.identity[name] for name in _IDENTITY if name in generator.identity}
    transient: Counter[str] = Counter()
    return Drawn(
        _of_model(task, sentences, generator, transient), settings.licence, known, transient, lambda: generator.note
    )


def _of_scenes(sentences: Sequence[Sentence], number: int, side: int) -> Iterator[Candidate]:
    for sentence in sentences:
        for place in range(number):
            try:
                image, source = scene_image(sentence.pair, sentence.style, sentence.side, side, place)
            except NoDrawnSceneError as error:
                yield Candidate(sentence, place, None, rejection=("no drawn scene", str(error)))
            else:
                yield Candidate(sentence, place, image, source=source)


def _of_model(
    task: Task[DrawSettings], sentences: Sequence[Sentence], generator: ImageGenerator, transient: Counter[str]
) -> Iterator[Candidate]:
    """The candidates of a generator, in no particular order; the reasons of transient errors are counted."""
    from whatif.models.responses.store import ResponseStore

    # One sentence for a request, or cause and effect together.
    together = [sentences[start : start + generator.prompts] for start in range(0, len(sentences), generator.prompts)]
    asked = [(of_request, place) for of_request in together for place in range(task.settings.candidates)]
    requests = [_request(of_request, place, task.seed) for of_request, place in asked]
    with ResponseStore(image_store_path()) as store:
        for at, drawing in drawn_images(requests, generator, store):
            of_request, place = asked[at]
            if drawing.transient:
                transient[str(drawing.reason)] += len(of_request)
            images = drawing.images or (None,) * len(of_request)
            for sentence, image in zip(of_request, images, strict=True):
                source = f"{task.wildcards['generator']}:{sentence.pair['pair_id']}"
                yield Candidate(sentence, place, image, requests[at].seed, source, _why(drawing))


def _request(sentences: Sequence[Sentence], place: int, seed: int) -> ImageRequest:
    """The request of candidate `place`. Cause and effect have the same seed: equal noise keeps more of the scene."""
    pair_id, style = sentences[0].pair["pair_id"], sentences[0].style
    drawn_by = stream(seed, "image candidate", pair_id, style, place)
    name = "-".join([pair_id, style, *(sentence.side for sentence in sentences)])
    prompts = tuple(sentence.prompt for sentence in sentences)
    return ImageRequest(name, place, prompts, int(drawn_by.integers(2**31)))


def _why(drawing: Drawing) -> tuple[str, str]:
    """The reason and detail of a rejection."""
    said = str(drawing.reason)
    if drawing.status == "error":
        return NOT_DRAWN, said
    reason, _, detail = said.partition(": ")
    return reason, detail or said


def _size(data: bytes) -> tuple[int, int]:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as picture:
        return picture.size


def _row(candidate_id: str, candidate: Candidate, key: str, image_id: str, known: Mapping[str, Any]) -> dict[str, Any]:
    sentence = candidate.sentence
    return {
        "candidate_id": candidate_id,
        "pair_id": sentence.pair["pair_id"],
        "style": sentence.style,
        "side": sentence.side,
        "place": candidate.place,
        "generator": key,
        "prompt": sentence.prompt,
        "seed": candidate.seed,
        "image_id": image_id,
        "provenance": canonical_json({"origin": "generator", **known}),
    }


def _report(task: Task[DrawSettings], key: str, drawn: int, rejections: Sequence[Row], transient: Counter[str]) -> None:
    if transient:
        reason, _ = max(sorted(transient.items()), key=lambda found: found[1])
        task.outputs.unfinished(transient.total(), reason)
        warn(
            f"{key}: {transient.total():,} images were not drawn for transient reasons, most often: {reason}; the next "
            "`snakemake` draws only these"
        )
    if task.is_only_part and (drawn or rejections):
        # Where the source has images, a few that it lacks and nobody can draw are no reason to stop.
        task.check_losses("images", drawn, rejections, remedy=_REMEDY, needed=not task.count("provided"))
