"""Reads pairs of core captions of MuCR, in the released form or with the history of their refinement (MuCR 3.1, A.3).

A row is a pair, or a pair in one style. Its keys are `id`, `caption_0` (cause), `caption_1` (effect), `link_id` (the
other three pairs of the group) or `group`, `label` or `category`, `cue`, `false_cue`, `causal_reason`, `style`,
`image_0`, `image_1` and `history`. What cannot be used is listed with its reason; nothing is guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whatif.engine.files.well_formed import escaped
from whatif.formats.mucr_groups import Fault, Links, grouped
from whatif.formats.mucr_records import ImageName, image_at, image_names, read_rows
from whatif.formats.mucr_texts import cue_fault, explanation_of, history_of, one_text, several_texts
from whatif.formats.table_records import Record

STYLES = ("photograph", "comic", "black-white")
CATEGORIES = ("human", "animal", "plant", "character", "mixture")
LONGEST_ID = 100  # characters
# Reasons of faults.
NO_ID, BAD_ID, REPEATED = "id missing", "id", "repeated id"
NO_CAPTION, SAME_CAPTIONS, CONTRADICTORY = "caption missing", "same captions", "contradictory rows"
UNKNOWN_CATEGORY, UNKNOWN_STYLE, BAD_FIELD = "unknown category", "unknown style", "field"
EXPLANATION, HISTORY = "explanation without three parts", "history"

_OTHER_STYLES = {
    "photo": "photograph",
    "photographic": "photograph",
    "comics": "comic",
    "black white": "black-white",
    "black and white": "black-white",
    "black&white": "black-white",
    "black & white": "black-white",
}
_OTHER_CATEGORIES = {"person": "human", "mixed": "mixture"}
_KEYS = {
    "id": ("id", "pair_id"),
    "cause": ("caption_0", "cause", "cause_caption"),
    "effect": ("caption_1", "effect", "effect_caption"),
    "links": ("link_id", "link_ids"),
    "group": ("group", "group_id"),
    "category": ("label", "category"),
    "cue": ("cue",),
    "false_cue": ("false_cue", "false_cues"),
    "explanation": ("causal_reason", "explanation"),
    "style": ("style",),
    "image_0": ("image_0", "cause_image"),
    "image_1": ("image_1", "effect_image"),
    "history": ("history",),
}


@dataclass(frozen=True)
class Pair:
    """A cause and an effect, without what cannot be used. `images` has style -> images of the cause and the effect."""

    pair_id: str
    group_id: str
    category: str
    cause_caption: str
    effect_caption: str
    cue: str | None
    false_cues: tuple[str, ...] | None
    explanation: str | None
    history: tuple[Mapping[str, str], ...]
    images: Mapping[str, tuple[ImageName | None, ImageName | None]]


@dataclass(frozen=True)
class Pairs:
    """The pairs of a file, by id, and what is wrong: of rows and pairs (`12`) or of a part of a pair (`12/cue`)."""

    pairs: list[Pair]
    faults: list[Fault]


@dataclass
class _Draft:
    """A pair while its rows are read; `texts` are the fields that all of its rows share."""

    place: str
    texts: dict[str, Any]
    images: dict[str, tuple[ImageName | None, ImageName | None]] = field(default_factory=dict)


def read_pairs(path: Path) -> Pairs:
    """The pairs of a file, or of a folder of Parquet files.

    Raises WhatifError with file and place when it cannot be read or has no rows.
    """
    faults: list[Fault] = []
    drafts: dict[str, _Draft] = {}
    rejected: set[str] = set()
    for record in read_rows(path):
        pair_id, found = _row(record)
        if isinstance(found, Fault):
            faults.append(found)
        if pair_id is None:
            continue
        if isinstance(found, Fault):
            rejected.add(pair_id)
            continue
        fault = _add(drafts, pair_id, found, record, faults)
        if fault is not None:
            rejected.add(pair_id)
            faults.append(fault)
    used = {pair_id: draft for pair_id, draft in drafts.items() if pair_id not in rejected}
    links = {pair_id: _links(draft.texts) for pair_id, draft in used.items()}
    groups, lost = grouped(links, rejected)
    pairs = [_pair(pair_id, used[pair_id], groups[pair_id], faults) for pair_id in sorted(used)]
    return Pairs(pairs, _once([*faults, *lost]))


def _links(texts: Mapping[str, Any]) -> Links:
    return Links(texts["links"], texts["group"], (texts["cause"], texts["effect"]))


def _once(faults: Sequence[Fault]) -> list[Fault]:
    """One fault for each item, with the first reason and all details, sorted by item."""
    by_item: dict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        by_item[fault.item].append(fault)
    return [
        Fault(item, found[0].reason, "; ".join(dict.fromkeys(fault.detail for fault in found)))
        for item, found in sorted(by_item.items())
    ]


def _row(record: Record) -> tuple[str | None, dict[str, Any] | Fault]:
    """The id of a row and its values by our names, or why the row cannot be used."""
    place = record.place
    by_key = {" ".join(str(name).replace("_", " ").casefold().split()): name for name in record.fields}
    found: dict[str, Any] = {}
    for name, keys in _KEYS.items():
        values = [record.fields[by_key[known]] for key in keys if (known := key.replace("_", " ")) in by_key]
        found[name] = next((value for value in values if not _is_empty(value)), None)
    try:
        given = one_text(found["id"])
    except ValueError as error:
        return None, Fault(place, BAD_ID, f"{place}: id: {error}")
    if given is None:
        return None, Fault(place, NO_ID, f"{place}: id: is empty; each pair needs one")
    pair_id = given.casefold()
    if len(pair_id) > LONGEST_ID or not pair_id.isprintable() or "/" in pair_id:
        told = f"{escaped(pair_id[:60])!r} cannot be used; give at most {LONGEST_ID} printable characters without `/`"
        return None, Fault(place, BAD_ID, f"{place}: id: {told}")
    try:
        return pair_id, _values(found)
    except _FaultyError as error:
        return pair_id, Fault(pair_id, error.reason, f"{place}: {error}")


class _FaultyError(ValueError):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True)
class _Unreadable:
    """A field that cannot be read, so that the pair goes without it, and why."""

    detail: str


def _is_empty(value: Any) -> bool:
    try:
        return value is None or (isinstance(value, str | float) and one_text(value) is None)
    except ValueError:
        return False


def _values(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a row, checked as far as the whole pair depends on them. Raises _FaultyError."""
    found: dict[str, Any] = {}
    for name in ("cause", "effect", "category", "group"):
        found[name] = _read(name, one_text, given)
    found["links"] = tuple(link.casefold() for link in _read("links", several_texts, given))
    for name, read in (("cue", _texts), ("false_cue", several_texts), ("explanation", _texts)):
        try:
            found[name] = tuple(_read(name, read, given))
        except _FaultyError as error:
            found[name] = _Unreadable(str(error))
    for name in ("cause", "effect"):
        if found[name] is None:
            raise _FaultyError(NO_CAPTION, f"{_KEYS[name][0]}: is empty; a pair has a caption of its {name}")
    if found["cause"].casefold() == found["effect"].casefold():
        raise _FaultyError(SAME_CAPTIONS, f"caption_1: is the same as caption_0: {found['cause'][:80]!r}")
    category = (found["category"] or "").casefold()
    found["category"] = _OTHER_CATEGORIES.get(category, category)
    if found["category"] not in CATEGORIES:
        told = f"is {category[:60]!r}" if category else "is empty"
        raise _FaultyError(UNKNOWN_CATEGORY, f"label: {told}; use one of {', '.join(CATEGORIES)}")
    found["history"] = given["history"]
    found["styles"] = _read("style", several_texts, given)
    found["images"] = [image_names(given[f"image_{side}"]) for side in (0, 1)]
    return found


def _texts(value: Any) -> list[str]:
    """A list of texts, where a text alone is not divided at its commas."""
    is_list = not isinstance(value, str) or (value.strip().startswith("[") and value.strip().endswith("]"))
    if is_list:
        return several_texts(value)
    text = one_text(value)
    return [] if text is None else [text]


def _read(name: str, read: Callable[[Any], Any], given: Mapping[str, Any]) -> Any:
    try:
        return read(given[name])
    except ValueError as error:
        raise _FaultyError(BAD_FIELD, f"{_KEYS[name][0]}: {error}") from error


def _add(
    drafts: dict[str, _Draft], pair_id: str, found: dict[str, Any], record: Record, faults: list[Fault]
) -> Fault | None:
    """Adds a row to its pair; returns why the pair cannot be used. Faulty styles are only added to `faults`."""
    styles, images = found.pop("styles"), found.pop("images")
    draft = drafts.setdefault(pair_id, _Draft(record.place, found))
    is_new = draft.place == record.place
    if not is_new and not styles:
        return Fault(pair_id, REPEATED, f"{record.place}: id: is also that of {draft.place}")
    different = [name for name in found if str(found[name]) != str(draft.texts[name])]
    if different:
        key = _KEYS[different[0]][0]
        return Fault(pair_id, CONTRADICTORY, f"{record.place}: {key}: is not the same as in {draft.place}")
    if any(one is not None for side in images for one in side[len(styles) :]):
        values = "1 value" if len(styles) == 1 else f"{len(styles)} values"
        told = f"has {values}, but more images are named" if styles else "is empty, but images are named"
        faults.append(Fault(f"{pair_id}/style", UNKNOWN_STYLE, f"{record.place}: style: {told}"))
    for place, name in enumerate(styles):
        known = " ".join(name.casefold().replace("_", " ").replace("-", " ").split())
        style = _OTHER_STYLES.get(known, known)
        if style not in STYLES:
            told = f"{record.place}: style: {name[:40]!r} is none of {', '.join(STYLES)}"
            faults.append(Fault(f"{pair_id}/{escaped(name[:40])}", UNKNOWN_STYLE, told))
        elif style in draft.images:
            return Fault(pair_id, REPEATED, f"{record.place}: id: is also that of an earlier row in the style {style}")
        else:
            cause, effect = (image_at(side, place) for side in images)
            draft.images[style] = cause, effect
    return None


def _pair(pair_id: str, draft: _Draft, group_id: str, faults: list[Fault]) -> Pair:
    """The pair, without a cue, an explanation or a history that cannot be used; these are added to `faults`."""
    texts = draft.texts
    cue: str | None = None
    false_cues: tuple[str, ...] | None = None
    if texts["cue"] or texts["false_cue"]:
        unreadable = [one for one in (texts["cue"], texts["false_cue"]) if isinstance(one, _Unreadable)]
        fault = (BAD_FIELD, unreadable[0].detail) if unreadable else cue_fault(texts["cue"], texts["false_cue"])
        if fault is None:
            cue, false_cues = texts["cue"][0], texts["false_cue"]
        else:
            faults.append(Fault(f"{pair_id}/cue", fault[0], f"{draft.place}: {fault[1]}"))
    explanation: str | None = None
    if isinstance(texts["explanation"], _Unreadable):
        detail = f"{draft.place}: {texts['explanation'].detail}"
        faults.append(Fault(f"{pair_id}/explanation", BAD_FIELD, detail))
    elif texts["explanation"]:
        try:
            explanation = explanation_of(texts["explanation"])
        except ValueError as error:
            faults.append(Fault(f"{pair_id}/explanation", EXPLANATION, f"{draft.place}: causal_reason: {error}"))
    history: list[dict[str, str]] = []
    try:
        history = history_of(texts["history"])
    except ValueError as error:
        faults.append(Fault(f"{pair_id}/history", HISTORY, f"{draft.place}: history: {error}"))
    return Pair(
        pair_id,
        group_id,
        texts["category"],
        texts["cause"],
        texts["effect"],
        cue,
        false_cues,
        explanation,
        tuple(history),
        dict(sorted(draft.images.items())),
    )
