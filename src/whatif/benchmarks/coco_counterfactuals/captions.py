"""The caption stages of COCO-Counterfactuals: captions, nouns, candidates and the chosen ones (3.1, B.1.1)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from whatif.benchmarks.coco_counterfactuals.schemas import CAPTION_CANDIDATES, CAPTION_PAIRS, CAPTIONS, COUNTS
from whatif.benchmarks.coco_counterfactuals.settings import (
    ChoiceOfCaptions,
    CocoCounterfactualsSettings,
    ExtractCaptions,
    MeasureSettings,
    ReplaceSettings,
)
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.artifacts.schemas import IMAGES, REJECTIONS
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.dimensions import part_dimension
from whatif.engine.graph.steps import StepsOf
from whatif.engine.graph.task import Task

if TYPE_CHECKING:
    from whatif.engine.language.wordnet import WordNet

NAME = "coco-counterfactuals"
_CAPTIONS = f"extract.{NAME}.captions in params.yaml"
_SETTINGS = f"generate.{NAME}.captions"
# Captions that the models process together. The other texts in a batch change the last digits of a score, so these
# groups do not depend on the division of captions into parts.
_GROUP = 64
_SPLIT = "test"  # split of the embedded scenes; no model was trained on it
_SIDE = 64  # side of their images in pixels


_step = StepsOf(CocoCounterfactualsSettings)
PART = part_dimension(lambda params, benchmark: params.section(benchmark, CocoCounterfactualsSettings).generate.shards)


@_step(
    "extract",
    reads=lambda s: s.extract,
    seed=True,
    outputs={"captions": CAPTIONS, "images": IMAGES, "rejections": REJECTIONS, "missing": REJECTIONS},
)
def extract(task: Task[ExtractCaptions]) -> None:
    """Extracts captions with their nouns, and the images of the captions where the folders contain them."""
    from tempfile import TemporaryDirectory

    from whatif.engine.language.tagging import tagger
    from whatif.formats.caption_sets import caption_rows, draw_captions, read_caption_set
    from whatif.formats.image_folders import find_pictures
    from whatif.world.scene_files import write_scene_files

    settings = task.settings
    with TemporaryDirectory() as folder:
        if settings.captions is None:
            files = write_scene_files(
                Path(folder),
                _SPLIT,
                range(settings.scenes),
                task.seed,
                side=_SIDE,
                captions_each=1,
                kind="one",
            )
            captions, folders = files.captions, [files.pictures]
        else:
            captions = user_path(settings.captions)
            folders = [user_path(name) for name in settings.image_folders]
        read = read_caption_set(captions, settings.longest)
        task.check_losses("captions", len(read.captions), read.rejections, remedy=f"give other captions ({_CAPTIONS})")
        drawn = draw_captions(read.captions, settings.limit, task.seed)
        pictures = find_pictures({one.image for one in drawn.captions if one.image is not None}, folders)
    with SortedImages(task.outputs.writer("images")) as images:
        for row in pictures.found.values():
            images.add(row)
    image_ids = {name: row["image_id"] for name, row in pictures.found.items()}
    for row in caption_rows(drawn.captions, tagger(settings.tagger), settings.tagger, image_ids):
        task.outputs.writer("captions").write([row])
    task.outputs.write("rejections", [*read.rejections, *drawn.rejections])
    missing = sorted(pictures.missing.items())
    rows = [{"item_id": name, "reason": reason, "detail": detail} for name, (reason, detail) in missing]
    task.outputs.write("missing", rows)
    if folders:
        task.check_losses("photographs", len(pictures.found), rows, needed=False)


@_step(
    "generate",
    name="candidates",
    reads=lambda s: ReplaceSettings(
        s.extract.tagger,
        s.generate.captions.masked_language,
        s.generate.captions.replacements,
        s.generate.captions.manner,
    ),
    divided_by=(PART,),
    inputs={"captions": extract["captions"]},
    outputs={"candidates": CAPTION_CANDIDATES, "too-long": REJECTIONS},
)
def candidates(task: Task[ReplaceSettings]) -> None:
    """The most probable replacements of every noun of one part of the captions (3.1)."""
    from whatif.engine.language.noun_swap import caption_candidates
    from whatif.engine.language.released_swap import released_candidates
    from whatif.engine.language.tagging import tagger
    from whatif.engine.progress import progress
    from whatif.models.language.masked import masked_language_model

    settings = task.settings
    model = masked_language_model(settings.masked_language)
    tag, top = tagger(settings.tagger), settings.replacements
    total = task.count("captions")
    groups = task.part_of(math.ceil(total / _GROUP))
    chosen = range(groups.start * _GROUP, min(total, groups.stop * _GROUP))
    rows = itertools.islice(task.rows("captions"), chosen.start, chosen.stop)
    grouped = itertools.groupby(zip(chosen, rows, strict=True), key=lambda numbered: numbered[0] // _GROUP)
    replaced = released_candidates if settings.manner == "released" else caption_candidates
    made = (outcome for _, group in grouped for outcome in replaced([row for _, row in group], model, tag, top))
    rejected = []
    for found, rejection in progress(made, len(chosen), task.part, "caption"):
        task.outputs.writer("candidates").write(found)
        rejected += [rejection] if rejection else []
    task.outputs.write("too-long", rejected)


@_step(
    "generate",
    name="measure",
    reads=lambda s: MeasureSettings(s.generate.captions.similarity, s.generate.captions.perplexity),
    divided_by=(PART,),
    inputs={"captions": extract["captions"], "candidates": candidates["candidates"]},
    outputs={"measured": CAPTION_CANDIDATES},
)
def measure(task: Task[MeasureSettings]) -> None:
    """Similarity and perplexity of every candidate of one part that is a noun."""
    from whatif.benchmarks.coco_counterfactuals.caption_scores import measured
    from whatif.engine.progress import progress
    from whatif.models.language.perplexity import perplexity_model
    from whatif.models.language.sentence_similarity import sentence_embedder

    sentences = sentence_embedder(task.settings.similarity)
    language = perplexity_model(task.settings.perplexity)
    known = task.read("captions", ["caption_id"])["caption_id"].to_pylist()
    group_of = {caption_id: place // _GROUP for place, caption_id in enumerate(known)}
    total = task.count("candidates")
    groups = itertools.groupby(task.rows("candidates"), key=lambda row: group_of[row["caption_id"]])
    made = (row for _, group in groups for row in measured(group, sentences, language))
    for row in progress(made, total, task.part, "candidate"):
        task.outputs.writer("measured").write([row])


@_step(
    "generate",
    name="choose",
    reads=lambda s: ChoiceOfCaptions(s.generate.captions.choose, s.generate.captions.manner),
    inputs={"captions": extract["captions"], "measured": measure["measured"], "too-long": candidates["too-long"]},
    outputs={"caption-pairs": CAPTION_PAIRS, "rejections": REJECTIONS, "counts": COUNTS},
)
def choose(task: Task[ChoiceOfCaptions]) -> None:
    """The counterfactual of each caption, or the reason why there is none (3.1, A.3.1)."""
    from whatif.benchmarks.coco_counterfactuals.caption_choice import ChoiceSettings, chosen_captions
    from whatif.engine.language.wordnet import RELATIONS

    settings, manner = task.settings
    wordnet = _wordnet(settings.wordnet)
    dropped = RELATIONS if settings.drop_kinds_of else ()
    span = settings.similarity
    alike = ChoiceSettings(span.low, span.high, dropped, includes_high=manner == "released")
    outcomes: Counter[str] = Counter()
    paired = 0
    rejected = []
    for one in chosen_captions(task.rows("captions"), task.rows("measured"), alike, wordnet):
        outcomes += one.candidates
        if one.pair is not None:
            paired += 1
            task.outputs.writer("caption-pairs").write([one.pair])
        if one.rejection is not None:
            rejected.append(one.rejection)
    too_long = {row["item_id"]: row for row in task.rows("too-long")}
    refused = [too_long.get(row["item_id"], row) for row in rejected]
    task.outputs.write("rejections", refused)
    remedy = f"widen {_SETTINGS}.choose.similarity or name other models in {_SETTINGS}, in params.yaml"
    task.check_losses("captions", paired, refused, remedy=remedy)
    counted = {("candidates", outcome): number for outcome, number in outcomes.items()}
    counted["wordnet", "used" if wordnet else "not used"] = 1
    rows = [{"what": what, "outcome": outcome, "number": number} for (what, outcome), number in sorted(counted.items())]
    task.outputs.write("counts", rows)


def _wordnet(setting: str | None) -> WordNet | None:
    from whatif.engine.language.wordnet import load_wordnet

    if setting is None:
        return None
    found = load_wordnet(None if setting == "installed" else setting)
    if found is None:
        raise WhatifError(
            f"{_SETTINGS}.choose.wordnet: WordNet is not installed; apt-get install wordnet-base, or "
            "python -m nltk.downloader wordnet, or name a folder with data.noun, index.noun and noun.exc"
        )
    return found
