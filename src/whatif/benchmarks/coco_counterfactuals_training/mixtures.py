"""Writes the training sets: which samples each mixture has, and how they are divided (COCO-Counterfactuals B.3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from whatif.benchmarks.coco_counterfactuals_training.divisions import (
    Shares,
    as_published,
    leak_free,
    withheld_leak_free,
)
from whatif.benchmarks.coco_counterfactuals_training.mixing import WITHHOLDING, Pool, samples_of
from whatif.benchmarks.coco_counterfactuals_training.photographs import photographs_of_samples
from whatif.benchmarks.coco_counterfactuals_training.released_splits import (
    SPLIT_FILES,
    Splits,
    known_samples,
    released_divisions,
)
from whatif.benchmarks.coco_counterfactuals_training.schemas import (
    COUNTERFACTUAL,
    ORIGINAL,
    TEST,
    TRAIN,
    VALIDATION,
    Mixture,
)
from whatif.benchmarks.coco_counterfactuals_training.settings import NAME, MixSettings
from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.task import Task
from whatif.people.consensus import human_evaluated
from whatif.people.items import pairs_by_id

_RELEASED = "coco-counterfactuals-released"
_NO_ORIGINAL = "no original photograph"
_PAIRS = ("pairs", "our-pairs", "released-pairs")
_JUDGEMENTS = ("judgements", "our-judgements", "released-judgements")


@dataclass(frozen=True)
class _Sources:
    """Usable pairs and originals by id, and why others are not used: item -> reason and detail."""

    pairs: Mapping[str, Mapping[str, Any]]
    originals: Mapping[str, Mapping[str, Any]]
    unused: dict[str, tuple[str, str]]


def write_mixtures(task: Task[MixSettings]) -> None:
    """Writes `samples`, with the part of each sample of each mixture and division, and `unused`.

    A pair without an original photograph is used, and counted in `unused`, because no original is. So are originals and
    pairs without an image, originals without a pair if no mixture uses them, and the rows of released split files that
    are about no sample. A mixture with released split files is divided as they say, any other by the seed; divisions
    without a leak are always drawn.

    Raises WhatifError when there are no pairs, when a part of a mixture is empty, when `correct` is made without
    labels, and when a split file is missing or cannot be read.
    """
    mix = task.settings.mix
    sources = _sources(task)
    pool = _pool(task, sources)
    shares = Shares(mix.validation_share, mix.withheld_share)
    groups = photographs_of_samples(sources.pairs, sources.originals, released_ids=task.settings.pairs == _RELEASED)
    splits = _splits(task, sources)
    contents = dict(_contents(sources))
    rows = []
    for mixture in mix.mixtures:
        drawn = mixture not in splits.parts
        published = as_published(mixture, pool, shares, task.seed) if drawn else splits.parts[mixture]
        divisions = {"published": published}
        if mixture in mix.leak_free and mixture in WITHHOLDING:
            divisions["leak-free"] = withheld_leak_free(mixture, pool, groups, shares, task.seed)
        elif mixture in mix.leak_free:
            divisions["leak-free"] = leak_free(published, groups, shares, task.seed)
        for division, parts in divisions.items():
            _check_parts(task, mixture, division, parts)
            if mixture == "withheld-ms-coco" and drawn:
                _say_if_fewer(task, division, parts, len(samples_of(pool.pairs)))
            place = {"mixture": mixture, "division": division}
            rows += [
                {**place, "sample_id": one, "part": part, **contents[one], "photograph": groups[one]}
                for one, part in parts.items()
            ]
    lost = [_rejection(item, refused) for item, refused in sources.unused.items()]
    task.check_losses("samples", len({row["sample_id"] for row in rows}), lost)
    task.outputs.write("samples", rows)
    task.outputs.write("unused", [*lost, *(_rejection(place, refused) for place, refused in splits.unused.items())])


def _sources(task: Task[MixSettings]) -> _Sources:
    unused: dict[str, tuple[str, str]] = {}
    pairs = pairs_by_id(chain.from_iterable(task.rows(role) for role in _PAIRS))
    if not pairs:
        raise WhatifError(
            f"{task.name}: there are no pairs; extract.{NAME}.pairs is {task.settings.pairs}, so {_remedy(task)}"
        )
    originals = {row["caption_id"]: row for row in task.rows("originals")}
    for caption_id in [one for one, row in originals.items() if not row["image_id"]]:
        unused[caption_id] = ("image missing", "the original has no photograph")
        del originals[caption_id]
    for pair_id in [one for one, row in pairs.items() if not (row["image_id_0"] and row["image_id_1"])]:
        unused[pair_id] = ("image missing", "an image of the pair is missing, so neither of its samples is used")
        del pairs[pair_id]
    for pair_id in sorted(pairs.keys() - originals.keys()):
        unused.setdefault(pair_id, (_NO_ORIGINAL, "its counterfactual samples are used, its original is not"))
    if clash := sorted(originals.keys() & samples_of(pairs)):
        raise WhatifError(f"{task.name}: original {clash[0]}: has the id of an image of a pair; give it another id")
    if "withheld-ms-coco" not in task.settings.mix.mixtures:
        refused = ("no pair", "only the mixture withheld-ms-coco uses originals without a pair")
        unused |= dict.fromkeys(sorted(originals.keys() - pairs.keys()), refused)
    return _Sources(pairs, originals, unused)


def _pool(task: Task[MixSettings], sources: _Sources) -> Pool:
    correct: set[str] = set()
    if "correct" in task.settings.mix.mixtures:
        judgements = chain.from_iterable(task.rows(role) for role in _JUDGEMENTS)
        correct = samples_of(sources.pairs) & set(human_evaluated(judgements, task.settings.resolution))
    return Pool(
        paired=frozenset(sources.originals.keys() & sources.pairs.keys()),
        unpaired=frozenset(sources.originals.keys() - sources.pairs.keys()),
        pairs=frozenset(sources.pairs),
        correct=frozenset(correct),
    )


def _splits(task: Task[MixSettings], sources: _Sources) -> Splits:
    """The released divisions, if a folder of split files is configured."""
    mix = task.settings.mix
    if mix.released_splits is None:
        return Splits()
    files = {
        row["image_id"]: row["source"].partition(":")[2] for row in task.rows("photographs", ["image_id", "source"])
    }
    known = known_samples(sources.pairs, sources.originals, files)
    splits = released_divisions(user_path(mix.released_splits), mix.mixtures, known)
    lost = [_rejection(place, refused) for place, refused in splits.unused.items()]
    remedy = f"generate.{NAME}.released_splits belongs to the released pairs; set it to null for others"
    task.check_losses("rows of split files", splits.rows, lost, remedy=remedy)
    if splits.other_captions:
        task.say(
            f"{task.name}: rows of split files with another caption than the sample of their image: "
            f"{len(splits.other_captions):,}, for example {splits.other_captions[0]}; the sample's own caption is used"
        )
    return splits


def _contents(sources: _Sources) -> Iterator[tuple[str, dict[str, str]]]:
    """Each sample with its columns."""
    for caption_id, row in sources.originals.items():
        yield caption_id, {"source": ORIGINAL, "caption": row["caption"], "image_id": row["image_id"]}
    for pair_id, row in sources.pairs.items():
        for side in SIDES:
            columns = {"caption": row[f"caption_{side}"], "image_id": row[f"image_id_{side}"]}
            yield item_id(pair_id, side), {"source": COUNTERFACTUAL, **columns}


def _check_parts(task: Task[MixSettings], mixture: Mixture, division: str, parts: Mapping[str, str]) -> None:
    counts = Counter(parts.values())
    for part in (TRAIN, VALIDATION, *([TEST] if mixture in WITHHOLDING else [])):
        if not counts[part]:
            raise WhatifError(
                f"{task.name}: mixture {mixture} ({division}): has no {part} samples; {_more(task, mixture, division)}"
            )


def _remedy(task: Task[MixSettings]) -> str:
    if task.settings.pairs == "scenes":
        return "give it pairs"
    return f"add {task.settings.pairs} to benchmarks, and give it pairs"


def _more(task: Task[MixSettings], mixture: Mixture, division: str) -> str:
    """What gives a mixture more samples."""
    if task.settings.mix.released_splits is not None and mixture in SPLIT_FILES and division == "published":
        names = " and ".join(SPLIT_FILES[mixture].values())
        return f"no row of its released split files ({names}) is about a sample; check that they are of these pairs"
    return f"give more pairs, or change validation_share or withheld_share of generate.{NAME}"


def _say_if_fewer(task: Task[MixSettings], division: str, parts: Mapping[str, str], counterfactuals: int) -> None:
    """Says when fewer originals are left than counterfactual samples that are not withheld."""
    test = sum(part == TEST for part in parts.values())
    if len(parts) - test < counterfactuals - test:
        task.say(
            f"{task.name}: mixture withheld-ms-coco ({division}): has {len(parts) - test:,} originals, because there "
            f"are no more; there are {counterfactuals - test:,} counterfactual samples for training and validation"
        )


def _rejection(item: str, refused: tuple[str, str]) -> dict[str, str]:
    return {"item_id": item, "reason": refused[0], "detail": refused[1]}
