"""Measures how well a model matches captions and images of held-out scenes: recall and minimal edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.accuracies import share
from training.scene_examples import pictures_of
from training.scene_facts import scene_facts
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.world.scene_captions import WORDINGS, full_caption
from whatif.world.scene_edits import EDITS, edit
from whatif.world.scenes import Scene, draw_scene

RECALL_AMONG = 1000
EDITS_OF_EACH = 400
_KINDS = ("one", "pair", "counted")  # kinds of scenes; recall uses the first two
_BATCH = 100
_SEED = 20_24


@dataclass(frozen=True)
class MinimalEdits:
    """Held-out scenes, what was edited in each, and full captions of both in the same wording."""

    kinds: list[str]
    what: list[str]
    scenes: list[Scene]
    edited: list[Scene]
    captions: list[str]
    edited_captions: list[str]


def assess_clip(folder: Path, recall_among: int = RECALL_AMONG, edits_of_each: int = EDITS_OF_EACH) -> dict[str, Any]:
    """Accuracies of a CLIP in `folder` on scenes of the split `test`, each with n, Wilson interval and chance.

    `recall` at 1 among `recall_among` captions with different content, of scenes of one thing and of pairs: of the
    caption for an image and of the image for a caption. `edits`, by kind of scene and by edited property: of the true
    caption against that of the edited scene, and of the true image against the edited one. Chance is one half there; a
    tie is wrong.
    """
    scenes, captions = _distinct_scenes(recall_among)
    edits = minimal_edits(edits_of_each)
    embed_pictures, embed_captions = _clip_embeddings(folder)
    similarity = embed_pictures(scenes) @ embed_captions(captions).T
    own = np.arange(len(scenes))
    true, other = embed_captions(edits.captions), embed_captions(edits.edited_captions)
    seen, changed = embed_pictures(edits.scenes), embed_pictures(edits.edited)
    right = (seen * true).sum(-1)
    return {
        "recall": {
            "caption_of_picture": share(similarity.argmax(1) == own, chance=1 / recall_among),
            "picture_of_caption": share(similarity.argmax(0) == own, chance=1 / recall_among),
        },
        "edits": _by_edit(
            edits, {"caption": right > (seen * other).sum(-1), "picture": right > (changed * true).sum(-1)}
        ),
    }


def assess_vilt(folder: Path, edits_of_each: int = EDITS_OF_EACH) -> dict[str, Any]:
    """Accuracies of a ViLT in `folder` on scenes of the split `test`, each with n, Wilson interval and chance.

    `edits` as for `assess_clip`. `judgements`: for single images with a true caption or that of an edit, whether a
    score above 0 correctly indicates a match; half of them match.
    """
    edits = minimal_edits(edits_of_each)
    score = vilt_scores(folder)
    right, other_caption, other_picture = (
        score(scenes, captions)
        for scenes, captions in (
            (edits.scenes, edits.captions),
            (edits.scenes, edits.edited_captions),
            (edits.edited, edits.captions),
        )
    )
    judged = np.concatenate([right > 0, other_caption <= 0])
    return {
        "edits": _by_edit(edits, {"caption": right > other_caption, "picture": right > other_picture}),
        "judgements": share(judged, chance=0.5),
    }


def minimal_edits(number: int) -> MinimalEdits:
    """`number` held-out scenes for each kind of scene and each edit that it supports, and their edits."""
    found = MinimalEdits([], [], [], [], [], [])
    for kind in _KINDS:
        for what in EDITS[kind]:
            generator = stream(_SEED, "edits", kind, what)
            place = taken = 0
            while taken < number:
                scene = draw_scene("test", place, _SEED, kind)
                place += 1
                try:
                    changed = edit(scene, what, generator)
                except WhatifError:  # no room for another size or count
                    continue
                # A group that is reduced to a single thing gives a sentence of another kind.
                if changed.kind != kind:
                    continue
                taken += 1
                wording = int(generator.integers(WORDINGS))
                found.kinds.append(kind)
                found.what.append(what)
                found.scenes.append(scene)
                found.edited.append(changed)
                found.captions.append(full_caption(scene, wording))
                found.edited_captions.append(full_caption(changed, wording))
    return found


def vilt_scores(folder: Path) -> Callable[[Sequence[Scene], Sequence[str]], NDArray[np.float64]]:
    """A function that returns how well each scene's image matches the caption in its place: logits (n,)."""
    import torch
    import transformers

    processor = transformers.ViltProcessor.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    model_class: Any = transformers.ViltForImageAndTextRetrieval
    options = {"local_files_only": True, "dtype": torch.float32}
    model = model_class.from_pretrained(folder, trust_remote_code=False, **options).eval()

    def score(scenes: Sequence[Scene], captions: Sequence[str]) -> NDArray[np.float64]:
        torch.manual_seed(0)  # ViLT shuffles its patches, which affects the last digits
        scores = []
        for start in range(0, len(scenes), _BATCH):
            pictures = list(pictures_of(scenes[start : start + _BATCH]))
            inputs = processor(pictures, list(captions[start : start + _BATCH]), padding=True, return_tensors="pt")
            with torch.inference_mode():
                scores.append(model(**inputs).logits[:, 0].double().numpy())
        return np.concatenate(scores)

    return score


def _by_edit(edits: MinimalEdits, right: dict[str, NDArray[np.bool_]]) -> dict[str, Any]:
    """Fractions by kind of scene and edit, and `all` edits of scenes of one thing and of pairs."""
    kinds, what = np.array(edits.kinds), np.array(edits.what)
    table: dict[str, Any] = {}
    for kind in _KINDS:
        chosen = {name: (kinds == kind) & (what == name) for name in EDITS[kind]}
        table[kind] = {
            name: {side: share(values[rows], chance=0.5) for side, values in right.items()}
            for name, rows in chosen.items()
        }
    uncounted = kinds != "counted"
    names = list(dict.fromkeys(what[uncounted].tolist()))
    for name in names:
        rows = uncounted & (what == name)
        table.setdefault("one and pair", {})[name] = {
            side: share(values[rows], chance=0.5) for side, values in right.items()
        }
    table["one and pair"]["all"] = {side: share(values[uncounted], chance=0.5) for side, values in right.items()}
    return table


def _distinct_scenes(number: int) -> tuple[list[Scene], list[str]]:
    """Held-out scenes of one thing and of pairs, alternating as in training, and a full caption of each."""
    generator = stream(_SEED, "recall")
    found: dict[bytes, Scene] = {}
    place = 0
    while len(found) < number:
        kind = "one" if generator.random() < 5 / 13 else "pair"
        scene = draw_scene("test", place, _SEED, kind)
        found.setdefault(scene_facts(scene).tobytes(), scene)
        place += 1
    scenes = list(found.values())
    return scenes, [full_caption(scene, int(generator.integers(WORDINGS))) for scene in scenes]


_Embed = Callable[[Any], NDArray[np.float64]]


def _clip_embeddings(folder: Path) -> tuple[_Embed, _Embed]:
    """Functions that return unit embeddings (n, width) of the images of scenes, and of captions."""
    import torch
    import transformers

    processor = transformers.CLIPProcessor.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    model_class: Any = transformers.CLIPModel
    options = {"local_files_only": True, "dtype": torch.float32}
    model = model_class.from_pretrained(folder, trust_remote_code=False, **options).eval()

    def embedded(parts: Sequence[Any], get: Callable[[Sequence[Any]], Any]) -> NDArray[np.float64]:
        rows = []
        for start in range(0, len(parts), _BATCH):
            with torch.inference_mode():
                rows.append(get(parts[start : start + _BATCH]).double().numpy())
        values = np.concatenate(rows)
        unit: NDArray[np.float64] = values / np.linalg.norm(values, axis=-1, keepdims=True)
        return unit

    def of_pictures(scenes: Sequence[Scene]) -> Any:
        inputs = processor(images=list(pictures_of(scenes)), return_tensors="pt")
        return model.get_image_features(**inputs).pooler_output

    def of_captions(captions: Sequence[str]) -> Any:
        inputs = processor(text=list(captions), padding=True, return_tensors="pt")
        return model.get_text_features(**inputs).pooler_output

    return (lambda scenes: embedded(scenes, of_pictures)), (lambda captions: embedded(captions, of_captions))
