"""Preselects pairs of images by CLIP, from which people choose (MuCR 3.1).

The paper's volunteers look at all candidates. Here CLIP measures how well each candidate fits its description and how
alike the images of cause and effect are, and people choose among the best pairs. The drawn world needs no CLIP to
know which pair belongs together: both images show the scene itself. Rejected candidates stay in their table: they are
the siblings among which the chosen effect is looked for (MuCR 5.2, Figure 11).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whatif.benchmarks.mucr.schemas import BY_CLIP, BY_SCENE, RELEASED, SIDES
from whatif.benchmarks.mucr.settings import FilterMucr
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.errors import WhatifError
from whatif.engine.graph.dimensions import is_whole
from whatif.engine.graph.task import Task
from whatif.engine.progress import progress
from whatif.models.cosines import cosines

UNLIKE_DESCRIPTION = "image unlike its description"
UNLIKE_SIBLING = "images unlike each other"
SAME_IMAGE = "same image as its sibling"
NO_SIBLING = "no image of the other side"
NOT_THE_BEST = "another candidate was better"
NONE_LEFT = "no pair of images is left"  # prefix of the reason of a pair and style
_IMAGES_AT_ONCE = 256  # decoded at once
_REMEDY = "lower filter.mucr.caption_image and likeness, or raise generate.mucr.candidates, in params.yaml"

Row = Mapping[str, Any]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Siblings:
    """The candidates of a cause and an effect, by id: their similarity to their description, and to each other."""

    rows: Mapping[str, Row]
    fit: Mapping[str, float]
    likeness: Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Preselected:
    """The rows of `preselected` of a pair and style, best first, and the rejections of its other candidates."""

    choices: list[dict[str, Any]]
    rejections: list[dict[str, Any]]


def write_preselected(task: Task[FilterMucr]) -> None:
    """Writes the best pairs of images of each pair and style in order, and the reasons why others are not among them.

    Candidates of different generators form no pair of images, because they differ in style. A description that is
    longer than CLIP can read is embedded in parts (`whatif.models.local.long_captions`). Each image is embedded once.

    Raises WhatifError as `dual_encoder` does, when CLIP gives numbers that are not finite, and when no pair of images
    is left.
    """
    _check_drawn(task)
    candidates = [*task.rows("provided"), *task.rows("candidates")]
    descriptions = {row["pair_id"]: row for row in task.rows("descriptions")}
    images, texts = _embedded(task, candidates, descriptions)
    grouped: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in candidates:
        grouped[row["pair_id"], row["style"]].append(row)
    choices: list[dict[str, Any]] = []
    rejections: list[dict[str, Any]] = []
    lost = []
    styles = sorted({style for _, style in grouped})
    for pair_id, style in sorted(product(descriptions, styles)):
        rows = grouped.get((pair_id, style), [])
        found = preselected(_measured(rows, images, texts), task.settings)
        choices += found.choices
        rejections += found.rejections
        if not found.choices:
            lost.append(_lost(f"{pair_id}/{style}", found.rejections))
    task.outputs.write("preselected", choices)
    task.outputs.write("rejections", [*rejections, *lost])
    kept = len({(row["pair_id"], row["style"]) for row in choices})
    task.check_losses("pairs in a style", kept, lost, remedy=_REMEDY)


def preselected(siblings: Siblings, settings: FilterMucr) -> Preselected:
    """The best pairs of images among the candidates of a pair and style, and the rejections of the others.

    The pair that shows a drawn scene itself comes first; the others are ordered by the sum of the three similarities,
    then by their ids. Images of the released form are kept whatever their similarities are, because people have
    chosen them. A candidate that is in no kept pair of images is rejected once, with the first of these reasons: it is
    unlike its description; there is no image of the other side that is like its own description; the images of both
    sides are the same; they are unlike each other; others were better.
    """
    rows = siblings.rows
    released = [row["candidate_id"] for row in rows.values() if row["generator"] == RELEASED]
    fitting = {one for one in rows if siblings.fit[one] >= settings.caption_image or one in released}
    by_side = {side: [one for one in sorted(rows) if rows[one]["side"] == side] for side in SIDES}
    refused: dict[str, dict[str, float]] = defaultdict(dict)  # candidate -> reason -> highest likeness
    pairs = []
    for cause, effect in product(*(by_side[side] for side in SIDES)):
        if rows[cause]["generator"] != rows[effect]["generator"] or not {cause, effect} <= fitting:
            continue
        reason = None if cause in released else _refusal(siblings, cause, effect, settings)
        if reason is None:
            pairs.append((cause, effect))
        else:
            for one in (cause, effect):
                refused[one][reason] = max(siblings.likeness[cause, effect], refused[one].get(reason, -1.0))
    pairs.sort(key=lambda pair: (not _shows_the_scene(siblings, *pair), -_score(siblings, *pair), pair))
    choices = [_choice(siblings, place, *pair) for place, pair in enumerate(pairs[: settings.kept])]
    used = {one for pair in pairs[: settings.kept] for one in pair}
    possible = {one for pair in pairs for one in pair}
    rejections = []
    for one in sorted(set(rows) - used):
        if one not in fitting:
            told = f"similarity {siblings.fit[one]:.3f} is below {settings.caption_image}"
            rejections.append(rejection(one, UNLIKE_DESCRIPTION, told))
        elif one in possible:
            told = f"{len(pairs)} pairs of images are possible, and {settings.kept} are kept"
            rejections.append(rejection(one, NOT_THE_BEST, told))
        elif SAME_IMAGE in refused[one]:
            rejections.append(rejection(one, SAME_IMAGE, "an image of the other side has the same pixels"))
        elif refused[one]:
            told = f"the highest similarity to an image of the other side is {refused[one][UNLIKE_SIBLING]:.3f}"
            rejections.append(rejection(one, UNLIKE_SIBLING, f"{told}; the minimum is {settings.likeness}"))
        else:
            told = "no candidate of the other side by the same generator is like its own description"
            rejections.append(rejection(one, NO_SIBLING, told))
    return Preselected(choices, rejections)


def _refusal(siblings: Siblings, cause: str, effect: str, settings: FilterMucr) -> str | None:
    if siblings.rows[cause]["image_id"] == siblings.rows[effect]["image_id"]:
        return SAME_IMAGE
    return None if siblings.likeness[cause, effect] >= settings.likeness else UNLIKE_SIBLING


def _score(siblings: Siblings, cause: str, effect: str) -> float:
    return siblings.fit[cause] + siblings.fit[effect] + siblings.likeness[cause, effect]


def _shows_the_scene(siblings: Siblings, cause: str, effect: str) -> bool:
    """Whether both are variation 0 of their drawn scene, so that nothing differs between them but the event."""
    rows = (siblings.rows[cause], siblings.rows[effect])
    return all(row["place"] == 0 and json.loads(row["provenance"]).get("adapter") == "scenes" for row in rows)


def _choice(siblings: Siblings, place: int, cause: str, effect: str) -> dict[str, Any]:
    row = siblings.rows[cause]
    drawn = BY_SCENE if _shows_the_scene(siblings, cause, effect) else BY_CLIP
    return {
        "pair_id": row["pair_id"],
        "style": row["style"],
        "place": place,
        "cause_candidate": cause,
        "effect_candidate": effect,
        "chosen_by": RELEASED if row["generator"] == RELEASED else drawn,
        "caption_cause": siblings.fit[cause],
        "caption_effect": siblings.fit[effect],
        "likeness": siblings.likeness[cause, effect],
    }


def _lost(item_id: str, rejections: Sequence[Row]) -> dict[str, Any]:
    """The rejection of a pair in a style, with the most frequent reason of its candidates in brackets."""
    counted = sorted(Counter(str(row["reason"]) for row in rejections).items())
    most = max(counted, key=lambda found: found[1])[0] if counted else "nothing was drawn"
    return rejection(item_id, f"{NONE_LEFT} ({most})", "; ".join(f"{reason}: {number}" for reason, number in counted))


def _embedded(
    task: Task[FilterMucr], candidates: Sequence[Row], descriptions: Mapping[str, Row]
) -> tuple[dict[str, Floats], dict[tuple[str, str], Floats]]:
    """The embedding of each image by id, and of each description by pair and side."""
    from whatif.models.local.encoders import dual_encoder
    from whatif.models.local.long_captions import long_captions

    clip, store = dual_encoder(task.settings.clip), task.images("images", "drawn-images")
    wanted = sorted({row["image_id"] for row in candidates})

    def parts() -> Iterator[tuple[str, Floats]]:
        for start in range(0, len(wanted), _IMAGES_AT_ONCE):
            names = wanted[start : start + _IMAGES_AT_ONCE]
            yield from zip(names, _finite(task, clip.pictures([store.get(name) for name in names])), strict=True)

    images = dict(progress(parts(), len(wanted), task.settings.clip.checkpoint, "image"))
    texts = sorted({row[f"{side}_description"] for row in descriptions.values() for side in SIDES})
    found, too_long = long_captions(clip, texts)
    if too_long:
        task.say(f"{task.name}: {too_long:,} of {len(texts):,} descriptions are longer than CLIP reads; read in parts")
    by_text = dict(zip(texts, _finite(task, found), strict=True))
    told = {(key, side): by_text[row[f"{side}_description"]] for key, row in descriptions.items() for side in SIDES}
    return images, told


def _finite(task: Task[FilterMucr], embeddings: Any) -> Floats:
    if not np.isfinite(embeddings).all():
        place = task.settings.clip.checkpoint
        raise WhatifError(f"checkpoint {place}: gives similarities that are not numbers; use dtype float32")
    return np.asarray(embeddings, dtype=np.float32)


def _measured(rows: Sequence[Row], images: Mapping[str, Floats], texts: Mapping[tuple[str, str], Floats]) -> Siblings:
    """The similarities of the candidates of a pair and style."""
    by_id = {row["candidate_id"]: row for row in rows}
    shown = {one: images[row["image_id"]] for one, row in by_id.items()}
    fit = {one: float(cosines(texts[row["pair_id"], row["side"]], shown[one])) for one, row in by_id.items()}
    causes, effects = ([one for one in by_id if by_id[one]["side"] == side] for side in SIDES)
    likeness = {
        (cause, effect): float(cosines(shown[cause], shown[effect])) for cause, effect in product(causes, effects)
    }
    return Siblings(by_id, fit, likeness)


def _check_drawn(task: Task[FilterMucr]) -> None:
    """Reports what was not drawn, if the parts of a generator could not do it: this step reads all of them."""
    if all(is_whole(wildcards["part"]) for wildcards in task.inputs["undrawn"].wildcards):
        return
    drawn, lost = task.count("candidates"), list(task.rows("undrawn"))
    if drawn or lost:
        remedy = "name another generator in generate.mucr.generators"
        task.check_losses("images", drawn, lost, remedy=remedy, needed=not task.count("provided"))
