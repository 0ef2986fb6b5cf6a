"""Rows of the tables of MuCR with a value in each column; `changes` are the columns that differ."""

from __future__ import annotations

from typing import Any

from whatif.benchmarks.mucr.schemas import SIDES

Row = dict[str, Any]


def causal_pair(pair_id: str, group_id: str, cause: str, effect: str, **changes: Any) -> Row:
    names = {"pair_id": pair_id, "group_id": group_id, "category": "object"}
    written = dict.fromkeys(("cue", "false_cues", "explanation"))
    return {**names, "cause_caption": cause, "effect_caption": effect, **written, "provenance": "{}", **changes}


def description(pair_id: str, cause: str, effect: str, writer: str = "test") -> Row:
    texts = {"cause_description": cause, "effect_description": effect}
    return {"pair_id": pair_id, **texts, "writer": writer, "provenance": "{}"}


def candidate(pair_id: str, style: str, side: str, place: int, image_id: str, **changes: Any) -> Row:
    names = {"candidate_id": f"{pair_id}-{style}-{side}-{place:02d}", "pair_id": pair_id, "style": style, "side": side}
    drawn = {"place": place, "generator": "scenes", "prompt": "a prompt", "seed": place, "image_id": image_id}
    return {**names, **drawn, "provenance": "{}", **changes}


def choice(pair_id: str, style: str, number: int, **changes: Any) -> Row:
    """The candidates with a number as a pair of images."""
    both = {f"{side}_candidate": f"{pair_id}-{style}-{side}-{number:02d}" for side in SIDES}
    measures = dict.fromkeys(("caption_cause", "caption_effect", "likeness"))
    return {"pair_id": pair_id, "style": style, "place": number, **both, "chosen_by": "clip", **measures, **changes}
