"""Probes: the questions of a benchmark, each changed in one way, for comparison with the ordinary ones.

| probe | changed question | a model that ... |
|---|---|---|
| `shuffled-options` | its options in another order; the right letter moves along | follows letters fails |
| `without-image` | the text alone | does not need the image keeps its accuracy |
| `other-image` | the image of another item; the right answer stays | looks at the image loses accuracy |
| `none-of-these` | "None of these" in place of the right option | chooses what seems most likely fails |
| `paraphrased` | "Suppose that X. ..." in place of "if X, ..." | knows the wording fails |

Each is a pure function of the rows of `questions` and the seed. A question to which a probe does not apply has no
changed one. Ids stay, because a changed question is compared with the one of the same id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from whatif.engine.language.if_clauses import if_clause
from whatif.engine.language.options import LETTERS
from whatif.engine.language.wording import one_line
from whatif.engine.params.probes import NONE_OF_THESE, OTHER_IMAGE, PARAPHRASED, SHUFFLED, WITHOUT_IMAGE
from whatif.engine.random_streams import stream

Row = Mapping[str, Any]
Changed = dict[str, Any]
NONE = "None of these"
_IF = "if "
_REFERS_BACK = re.compile(r"\b(?:it|its|they|them|their|he|she|him|her|his|this|these|those|one|ones)\b", re.IGNORECASE)


def probed(probe: str, questions: Sequence[Row], seed: int) -> list[Changed]:
    """The changed questions of a probe, in the order of `questions`, without those to which it does not apply.

    Raises KeyError when there is no such probe.
    """
    if probe == OTHER_IMAGE:
        others = _other_images(questions, seed)
        found = [_with_image_of(row, others.get(_images(row))) for row in questions]
    else:
        change = _CHANGES[probe]
        found = [change(row, seed) for row in questions]
    return [row for row in found if row is not None]


def shuffled_options(row: Row, seed: int) -> Changed | None:
    """The question with every option in another place, and its right letter where the right option has gone.

    None if there are fewer than two options, and if the options are only letters of what an image shows.
    """
    options = _options(row)
    if len(options) < 2:
        return None
    generator = stream(seed, "shuffled options", row["question_id"])
    order = list(range(len(options)))
    while any(place == old for place, old in enumerate(order)):
        order = [int(old) for old in generator.permutation(len(options))]
    right = order.index(LETTERS.index(row["answer"]))
    return {**row, "choices": [options[old] for old in order], "answer": LETTERS[right]}


def none_of_these(row: Row, seed: int) -> Changed | None:
    """The question with `None of these` in the place of its right option; its right letter stays.

    None without options, if they are only letters of what an image shows, and if one of them says the same already.
    """
    options = list(_options(row))
    if not options or any("none of" in option.lower() for option in options):
        return None
    options[LETTERS.index(row["answer"])] = NONE
    return {**row, "choices": options}


def without_image(row: Row, seed: int) -> Changed | None:
    """The question without its images, and without `provenance`, which tells what they show; None if it has none."""
    return {**row, "image_ids": [], "provenance": "{}"} if row["image_ids"] else None


def paraphrased(row: Row, seed: int) -> Changed | None:
    """The question with its presupposition as a sentence of its own: `Suppose that X. Would ...?`.

    None where it cannot be cut without doubt: a question of one sentence with one clause, which begins with `if` and is
    at its beginning, before a comma, or at its end without a pronoun, whose noun would then come after it.
    """
    text = str(row["question"])
    clause = if_clause(text)
    if text != one_line(text) or clause is None or not clause.startswith(_IF):
        return None
    if text.count("?") != 1 or not text.endswith("?") or len(re.findall(r"\bif\b", text.lower())) != 1:
        return None
    begins = text.lower().find(clause)
    if begins < 0 or re.search(r"[.!;:]\s", text):
        return None
    ends = begins + len(clause)
    before, supposed, after = text[:begins].rstrip(" ,"), text[begins + len(_IF) : ends], text[ends:]
    if not before and after.startswith(", "):
        asked = re.sub(r"^then\s+", "", after[2:])
    elif before and after == "?" and not _REFERS_BACK.search(supposed):
        asked = f"{before}?"
    else:
        return None
    return {**row, "question": f"Suppose that {supposed}. {asked[0].upper()}{asked[1:]}"}


def _options(row: Row) -> Sequence[str]:
    """The texts of a question's options; none if they are only letters (`Image B`) of what an image shows."""
    options: Sequence[str] = row["choices"] or ()
    named = all(re.search(rf"\b{letter}\b", option) for letter, option in zip(LETTERS, options, strict=False))
    return () if named else options


def _images(row: Row) -> tuple[str, ...]:
    return tuple(row["image_ids"])


def _other_images(questions: Sequence[Row], seed: int) -> dict[tuple[str, ...], Row]:
    """For the images of each question, the question whose images take their place.

    All questions about the same images get the same others: those of a question of the same group and variant, with as
    many images, about another pair. They are the next ones in a random circle of the images of these questions.
    """
    first: dict[tuple[str, ...], Row] = {}
    pairs: dict[tuple[str, ...], set[str]] = {}
    for row in sorted(questions, key=lambda one: str(one["question_id"])):
        if images := _images(row):
            first.setdefault(images, row)
            pairs.setdefault(images, set()).add(row["pair_id"])
    kinds: dict[tuple[str, str, int], list[tuple[str, ...]]] = {}
    for images, row in first.items():
        kinds.setdefault((row["group"], row["variant"], len(images)), []).append(images)
    found: dict[tuple[str, ...], Row] = {}
    for (group, variant, number), of_kind in kinds.items():
        known = sorted(of_kind)
        circle = [known[place] for place in stream(seed, "other image", group, variant, number).permutation(len(known))]
        for place, images in enumerate(circle):
            following = (circle[(place + step) % len(circle)] for step in range(1, len(circle)))
            other = next((one for one in following if _are_apart(one, images, pairs)), None)
            if other is not None:
                found[images] = first[other]
    return found


def _are_apart(one: tuple[str, ...], other: tuple[str, ...], pairs: Mapping[tuple[str, ...], set[str]]) -> bool:
    """Whether two groups of images have no image and no pair in common."""
    return not pairs[one] & pairs[other] and not set(one) & set(other)


def _with_image_of(row: Row, other: Row | None) -> Changed | None:
    """A question about the images of another one, with its `provenance`, which tells what they show."""
    return None if other is None else {**row, "image_ids": other["image_ids"], "provenance": other["provenance"]}


_CHANGES: Mapping[str, Callable[[Row, int], Changed | None]] = {
    SHUFFLED: shuffled_options,
    WITHOUT_IMAGE: without_image,
    NONE_OF_THESE: none_of_these,
    PARAPHRASED: paraphrased,
}
