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


def is_human(subject: str) -> bool:
    """Whether the altered subject of a caption is one of the fourteen words, ignoring case."""
    return subject.casefold() in HUMAN_WORDS
