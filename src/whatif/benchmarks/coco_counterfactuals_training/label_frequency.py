"""The label frequency of Table 6: how often the names of classes are the altered subjects of pairs (A.2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

from whatif.engine.language.published_subjects import published_subjects, stem

Rule: TypeAlias = Literal["published", "ours"]
PUBLISHED_RULE, OUR_RULE = get_args(Rule)
_WORD = re.compile("[^\\W_]+")
_Stems: TypeAlias = tuple[str, ...]


def label_frequency(pairs: Iterable[Mapping[str, Any]], class_names: Sequence[str], rule: Rule) -> int:
    """The label frequency of a data set with these class names, counted over rows of the table `pairs`.

    `published`: the rule behind the paper's Table 6. The subject is the first word of the counterfactual caption that
    the original lacks (`published_subjects`). It is stemmed twice, and each name once, as a whole. The numbers of pairs
    are summed over the names, so a pair counts twice if two names have its stem. A name with several words or an
    underscore never matches.

    `ours`: the definition of the paper's text, the number of pairs in which one or more names match one of the two
    altered subjects. Each pair counts once. A name of one word matches a subject with the same stem. A name of several
    words (`pickup_truck`) matches where all of them stand together in the caption, and the subject is one of them.
    Case, punctuation and numbers that stand alone (`001.ak47`, `airplanes-101`) are ignored; a name may list several
    names, separated by commas (`tench, Tinca tinca`).

    Raises ValueError for another rule.
    """
    if rule == PUBLISHED_RULE:
        return _published(pairs, class_names)
    if rule == OUR_RULE:
        return _ours(pairs, class_names)
    raise ValueError(f"rule {rule!r}: is unknown; use one of {', '.join(get_args(Rule))}")


def _published(pairs: Iterable[Mapping[str, Any]], class_names: Sequence[str]) -> int:
    stems = Counter(stem(stem(published_subjects(row["caption_0"], row["caption_1"])[1])) for row in pairs)
    del stems[""]  # of pairs without a subject
    return sum(stems[stem(name)] for name in class_names)


def _ours(pairs: Iterable[Mapping[str, Any]], class_names: Sequence[str]) -> int:
    names = {_stems(one) for name in class_names for one in name.split(",")} - {()}
    longest = max(map(len, names), default=0)
    return sum(any(_has_label(row, side, names, longest) for side in (0, 1)) for row in pairs)


def _has_label(row: Mapping[str, Any], side: int, names: set[_Stems], longest: int) -> bool:
    caption, subject, other = (
        _stems(row[column]) for column in (f"caption_{side}", f"subject_{side}", f"subject_{1 - side}")
    )
    return subject in names or any(label in names for label in _around(caption, subject, set(other), longest))


def _around(caption: _Stems, subject: _Stems, other: set[str], longest: int) -> Iterator[_Stems]:
    """The runs of at most `longest` words of a caption that contain an altered word of its subject.

    A subject of several words, of captions that differ in several places, also has words that are not altered.
    """
    of = len(subject)
    places = [at for at in range(len(caption) - of + 1) if caption[at : at + of] == subject] if of else []
    for word in (place + step for place in places for step in range(of) if of == 1 or subject[step] not in other):
        for start in range(max(0, word - longest + 1), word + 1):
            for end in range(word + 1, min(start + longest, len(caption)) + 1):
                yield caption[start:end]


def _stems(text: str) -> _Stems:
    return tuple(stem(word) for word in _WORD.findall(text) if not word.isdigit())
