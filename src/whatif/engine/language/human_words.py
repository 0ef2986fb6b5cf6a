"""The words of the human taxonomy (COCO-Counterfactuals A.3.2)."""

from __future__ import annotations

# As the paper lists them. `women` and `student`, which its Table 10 counts among the errors, are not in the list.
HUMAN_WORDS = frozenset(
    [
        "girl",
        "boy",
        "man",
        "men",
        "woman",
        "guy",
        "kid",
        "person",
        "people",
        "child",
        "children",
        "couple",
        "group",
        "lady",
    ],
)

# The list behind the paper's counts has a typing error, so that it lacks the stem of `children`.
PUBLISHED_HUMAN_WORDS = HUMAN_WORDS - {"children"} | {"childen"}
_POSSESSIVE = ("'s", "\u2019s")


def is_human(subject: str) -> bool:
    """Whether the altered subject of a caption is one of the fourteen words, ignoring case and a possessive `'s`."""
    word = subject.casefold()
    for ending in _POSSESSIVE:
        word = word.removesuffix(ending)
    return word in HUMAN_WORDS
