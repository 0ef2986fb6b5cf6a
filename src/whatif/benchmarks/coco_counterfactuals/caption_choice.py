"""Chooses the counterfactual of each caption: the most fluent candidate of suitable similarity.

COCO-Counterfactuals 3.1, B.1.1; hyponyms and hypernyms: A.3.1; the human taxonomy: A.3.2.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.language.human_words import is_human
from whatif.engine.language.noun_swap import NOT_A_NOUN, NOT_A_WORD, OK, REPEATED, SAME_WORD
from whatif.engine.language.wordnet import Relation

Row: TypeAlias = Mapping[str, Any]

CHOSEN = "chosen"
NO_NOUN, NO_CANDIDATE = "no noun", "no candidate"
TOO_UNLIKE, TOO_ALIKE = "too unlike the original", "too like the original"
NO_PERPLEXITY, NOT_THE_BEST = "no perplexity", "another candidate was better"
# In the order of the checks: a caption without a counterfactual is rejected for the last check that any candidate
# reached.
REASONS = (
    NOT_A_WORD,
    SAME_WORD,
    REPEATED,
    NOT_A_NOUN,
    TOO_UNLIKE,
    TOO_ALIKE,
    "hyponym",
    "hypernym",
    NO_PERPLEXITY,
    NOT_THE_BEST,
)


class Taxonomy(Protocol):
    """Knows which noun is a kind of which (`whatif.engine.language.wordnet.WordNet`)."""

    def relation(self, original: str, counterfactual: str) -> Relation | None: ...


@dataclass(frozen=True)
class ChoiceSettings:
    """Similarity strictly between `low` and `high`; counterfactual nouns in a `dropped` relation are rejected.

    With `includes_high`, a similarity of `high` is also accepted, as for the released captions.
    """

    low: float
    high: float
    dropped: Collection[Relation] = ()
    includes_high: bool = False


@dataclass(frozen=True)
class CaptionChoice:
    """The result for a caption: a pair or a rejection (the other is None), and its candidates by reason."""

    pair: dict[str, str] | None
    rejection: dict[str, str] | None
    candidates: Counter[str]  # reason or `chosen` -> number; the sum is the number of candidates


def chosen_captions(
    captions: Iterable[Row], candidates: Iterable[Row], settings: ChoiceSettings, taxonomy: Taxonomy | None
) -> Iterator[CaptionChoice]:
    """One choice for each caption, from rows of `captions` and of measured `caption_candidates`, both in order of keys.

    The lowest perplexity wins; ties go to the lower (place, rank). The columns of a pair are those that `pairs` shares;
    its provenance has `similarity`, `perplexity`, `human` (either subject is in the human taxonomy), `relation`
    (null without a taxonomy), `image_id`, `place` and `rank`.

    Raises ValueError for candidates of a caption that is not among the captions, or that were not measured.
    """
    groups = itertools.groupby(candidates, key=lambda row: str(row["caption_id"]))
    next_id, next_rows = next(groups, (None, iter(())))
    for caption in captions:
        rows: list[Row] = []
        if next_id == caption["caption_id"]:
            rows = list(next_rows)
            next_id, next_rows = next(groups, (None, iter(())))
        yield _choice(caption, rows, settings, taxonomy)
    if next_id is not None:
        raise ValueError(f"{next_id}: candidates of a caption that is missing or out of order")


def _choice(caption: Row, rows: list[Row], settings: ChoiceSettings, taxonomy: Taxonomy | None) -> CaptionChoice:
    relations = [_relation(row, taxonomy) for row in rows]
    reasons = [_refusal(row, relation, settings) for row, relation in zip(rows, relations, strict=True)]
    left = [place for place, reason in enumerate(reasons) if reason is None]
    if not left:
        counts = Counter(reason for reason in reasons if reason is not None)
        return CaptionChoice(None, _rejection(caption, counts), counts)
    best = min(left, key=lambda place: (rows[place]["perplexity"], rows[place]["place"], rows[place]["rank"]))
    outcome = [reason or NOT_THE_BEST for reason in reasons]
    outcome[best] = CHOSEN
    return CaptionChoice(_pair(caption, rows[best], relations[best]), None, Counter(outcome))


def _relation(row: Row, taxonomy: Taxonomy | None) -> Relation | None:
    if taxonomy is None or row["status"] != OK:
        return None
    return taxonomy.relation(row["subject_0"], row["subject_1"])


def _refusal(row: Row, relation: Relation | None, settings: ChoiceSettings) -> str | None:
    if row["status"] != OK:
        return str(row["status"])
    if row["similarity"] is None:
        raise ValueError(f"{row['caption_id']}: a candidate was not measured")
    if not row["similarity"] > settings.low:
        return TOO_UNLIKE
    if not (row["similarity"] < settings.high or (settings.includes_high and row["similarity"] == settings.high)):
        return TOO_ALIKE
    if relation is not None and relation in settings.dropped:
        return relation
    return NO_PERPLEXITY if row["perplexity"] is None else None


def _rejection(caption: Row, counts: Counter[str]) -> dict[str, str]:
    if not caption["nouns"]:
        reason, detail = NO_NOUN, f"the tagger {caption['tagger']} finds none"
    elif not counts:
        reason, detail = NO_CANDIDATE, "no replacement was proposed"
    else:
        known = [reason for reason in REASONS if counts[reason]]
        reason = f"no candidate left: {known[-1]}"
        detail = ", ".join(f"{counts[one]} {one}" for one in known)
    return {"item_id": caption["caption_id"], "reason": reason, "detail": detail}


def _pair(caption: Row, row: Row, relation: Relation | None) -> dict[str, str]:
    provenance = {
        "similarity": row["similarity"],
        "perplexity": row["perplexity"],
        "human": is_human(row["subject_0"]) or is_human(row["subject_1"]),
        "relation": relation,
        "image_id": caption["image_id"],
        "place": row["place"],
        "rank": row["rank"],
    }
    texts = {name: row[name] for name in ("caption_0", "caption_1", "subject_0", "subject_1")}
    return {"pair_id": row["caption_id"], **texts, "provenance": canonical_json(provenance)}
