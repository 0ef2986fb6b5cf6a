"""Hyponyms and hypernyms among nouns by WordNet 3.0 (the ontology that COCO-Counterfactuals A.3.1 proposes)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path

Relation: TypeAlias = Literal["hyponym", "hypernym"]
RELATIONS: tuple[Relation, ...] = ("hyponym", "hypernym")

# At most this many senses of a word count, and only those that occur in WordNet's tagged texts (the first sense always
# does). One is too few: `boy` is a man in its second sense. All would be too many: an untagged sense of `cat` is a man.
SENSES = 3
FILES = ("index.noun", "data.noun", "noun.exc")
_DEBIAN = Path("/usr/share/wordnet")
_IN_NLTK = "corpora/wordnet"
_HYPERNYMS = ("@", "@i")  # a kind of; an instance of
# Plural endings that WordNet's own tools (morphy) strip, and their replacements.
_ENDINGS = (
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("s", ""),
)
# `people` is not in WordNet's list of irregular plurals; somebody's child is only the fourth, untagged sense of `kid`.
_ALSO = {"people": "person", "kid": "child", "kids": "child"}


class Readable(Protocol):
    """A folder, also inside a zip file."""

    def joinpath(self, name: str, /) -> Readable: ...
    def read_text(self, encoding: str, /) -> str: ...


@dataclass
class WordNet:
    """Nouns with their senses, and senses with their hypernyms."""

    senses: Mapping[str, tuple[int, ...]]  # lemma -> synsets that occur, most frequent first
    hypernyms: Mapping[int, tuple[int, ...]]  # synset -> its direct hypernyms
    exceptions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # irregular plural -> singular

    def __post_init__(self) -> None:
        self._synsets = lru_cache(maxsize=65_536)(self._look_up)
        self._above = lru_cache(maxsize=65_536)(self._climb)

    def relation(self, original: str, counterfactual: str) -> Relation | None:
        """The relation of the counterfactual noun to the original noun.

        `hyponym`: a kind of it (woman -> girl); `hypernym`: the reverse (man -> person); None: neither, the same
        thing in another word (sofa -> couch), or an unknown word. One of the first `SENSES` senses of one noun must be
        below such a sense of the other, at any distance. Plurals count as singulars.
        """
        before, after = self._synsets(original), self._synsets(counterfactual)
        if before & after:
            return None
        if any(self._above(synset) & before for synset in after):
            return "hyponym"
        if any(self._above(synset) & after for synset in before):
            return "hypernym"
        return None

    def lemmas(self, noun: str) -> list[str]:
        """The forms under which WordNet may list a noun: the noun itself and its singulars."""
        word = noun.casefold().replace(" ", "_")
        forms = [word, *self.exceptions.get(word, ()), *([_ALSO[word]] if word in _ALSO else [])]
        forms += [
            word[: -len(ending)] + instead
            for ending, instead in _ENDINGS
            if word.endswith(ending) and len(word) > len(ending) and not word.endswith("ss")
        ]
        return [form for form in dict.fromkeys(forms) if form in self.senses]

    def _look_up(self, noun: str) -> frozenset[int]:
        return frozenset(synset for lemma in self.lemmas(noun) for synset in self.senses[lemma][:SENSES])

    def _climb(self, synset: int) -> frozenset[int]:
        """All synsets above, at any distance."""
        above: set[int] = set()
        waiting = [synset]
        while waiting:
            for higher in self.hypernyms.get(waiting.pop(), ()):
                if higher not in above:
                    above.add(higher)
                    waiting.append(higher)
        return frozenset(above)


def load_wordnet(folder: str | None = None) -> WordNet | None:
    """WordNet from the given folder, else from NLTK's corpora or Debian's `wordnet-base`; None if there is neither.

    Raises WhatifError when the given folder lacks a file, or a file is not in WordNet's format.
    """
    place = _place(folder)
    return None if place is None else read_wordnet(place)


def read_wordnet(folder: Readable) -> WordNet:
    """Reads `index.noun`, `data.noun` and `noun.exc` (format wndb(5WN)). Raises WhatifError naming the file."""
    texts = {}
    for name in FILES:
        try:
            texts[name] = folder.joinpath(name).read_text("utf-8")
        except (OSError, KeyError, UnicodeDecodeError) as error:
            raise WhatifError(
                f"{folder}: {name} cannot be read ({error}); a WordNet 3.0 folder has {', '.join(FILES)}"
            ) from error
    parts = {"index.noun": _senses, "data.noun": _hypernyms, "noun.exc": _exceptions}
    read: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, parse in parts.items():
        try:
            read[name] = dict(parse(texts[name].splitlines()))
        except (ValueError, IndexError) as error:
            raise WhatifError(f"{folder}: {name} is not in the format of WordNet 3.0 ({error})") from error
    return WordNet(
        {lemma: tuple(map(int, synsets)) for lemma, synsets in read["index.noun"].items()},
        {int(synset): tuple(map(int, above)) for synset, above in read["data.noun"].items()},
        read["noun.exc"],
    )


def _place(folder: str | None) -> Readable | None:
    if folder is not None:
        given = user_path(folder)
        if not given.is_dir():
            raise WhatifError(f"{folder}: no such folder; give a folder with {', '.join(FILES)} of WordNet 3.0")
        return given
    return _in_nltk() or (_DEBIAN if all((_DEBIAN / name).is_file() for name in FILES) else None)


def _in_nltk() -> Readable | None:
    import nltk

    for root in map(Path, nltk.data.path):
        unpacked, packed = root / _IN_NLTK, root / f"{_IN_NLTK}.zip"
        if all((unpacked / name).is_file() for name in FILES):
            return unpacked
        if packed.is_file():  # as NLTK's downloader leaves it
            return zipfile.Path(packed, "wordnet/")
    return None


def _records(lines: Iterable[str]) -> Iterator[list[str]]:
    """The fields of each line up to the gloss. Lines of the licence begin with two spaces and are skipped."""
    return (line.partition(" | ")[0].split() for line in lines if line.strip() and not line.startswith("  "))


def _senses(lines: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    # lemma, part of speech, number of synsets, kinds of pointers, number of synsets again, number tagged, synsets
    for fields in _records(lines):
        synsets = fields[-int(fields[2]) :]
        if not all(synset.isdecimal() for synset in synsets):
            raise ValueError(f"{fields[0]} has a synset that is not a number")
        tagged = int(fields[-len(synsets) - 1])
        yield fields[0], tuple(synsets[: max(1, tagged)])


def _hypernyms(lines: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    # synset, file, type, number of words (hexadecimal), (word, id), ..., number of pointers, (kind, synset, part, ends)
    for fields in _records(lines):
        start = 4 + 2 * int(fields[3], 16)
        pointers = range(start + 1, start + 1 + 4 * int(fields[start]), 4)
        yield fields[0], tuple(fields[place + 1] for place in pointers if fields[place] in _HYPERNYMS)


def _exceptions(lines: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    return ((fields[0], tuple(fields[1:])) for fields in _records(lines))
