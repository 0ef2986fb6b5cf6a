"""Where systems do worse: the kinds of questions, among those of a benchmark's items, and the items that have them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from whatif.results.site.item_index import NOT_ASKED, RIGHT, code_of, one_line
from whatif.scoring.weaknesses import Weakness, counts, weakness

MOST = 5  # that a benchmark shows
_LEVEL = 0.05


@dataclass(frozen=True)
class Worse:
    """A kind of questions in which a system does worse than elsewhere.

    view: the name of the view that shows its items. items: the positions of those with a question of this kind, in
    order. found: its conditions and shares.
    """

    view: str
    system: str
    items: list[int]
    found: Weakness

    @property
    def kind(self) -> str:
        """Its conditions in words."""
        return " and ".join(self.found.conditions)

    @property
    def right(self) -> str:
        """Accuracy in this kind, in percent."""
        return f"{100 - 100 * self.found.wrong.estimate:.1f}"

    @property
    def elsewhere(self) -> str:
        """Accuracy in all other questions, in percent."""
        return f"{100 - 100 * self.found.elsewhere.estimate:.1f}"

    @property
    def more(self) -> str:
        """How many points less that is, and the ends of the interval."""
        more = self.found.more
        return f"{100 * more.estimate:.0f} [{100 * more.low:.0f}, {100 * more.high:.0f}]"

    def as_view(self) -> dict[str, Any]:
        """The view of its items, as a row of ITEM_VIEWS with the positions of its items (`ItemIndex.finish`)."""
        text = f"{self.system}: {self.right}% right in questions where {self.kind}, {self.elsewhere}% elsewhere."
        return {"view": self.view, "heading": f"{self.system}: {self.kind}", "text": text, "items": self.items}


class Questions:
    """Collects the questions of items that are added in order: some 30 bytes each, one for each system, and images."""

    def __init__(self) -> None:
        self._items = array("I")
        self._images = array("I")
        self._numbers: dict[str, int] = {}  # of the images
        self._texts = {name: array("I") for name in ("group", "variant", "label")}
        self._known: dict[str, int] = {}  # the number of each of these texts
        self._counts: dict[str, array[int]] = {}
        self._codes: dict[str, bytearray] = {}
        self._added = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Adds a row of ITEMS. Its questions are about its first picture, or about nothing that others share."""
        shown = row["pictures"]
        image = self._numbers.setdefault(shown[0]["image_id"] if shown else row["item_id"], len(self._numbers))
        for question in row["questions"]:
            number = len(self._items)
            self._items.append(self._added)
            self._images.append(image)
            for name, text in (("group", row["group"]), ("variant", question["side"]), ("label", question["label"])):
                self._texts[name].append(self._known.setdefault(one_line(text), len(self._known)))
            for name, count in counts(question["text"], question["choices"]).items():
                self._counts.setdefault(name, array("I")).append(count)
            for answer in question["answers"]:
                column = self._codes.setdefault(answer["system"], bytearray())
                column += NOT_ASKED.encode() * (number - len(column))
                column[number:] = code_of(answer).encode()
        self._added += 1

    def worse(self) -> list[Worse]:
        """The kinds in which systems do worse, at most one for each, the most certain differences first; at most five.

        Intervals are 95% after Bonferroni's correction for the number of systems.
        """
        found = sorted(self._found(), key=lambda one: (-one[1].more.low, one[0]))
        return [
            Worse(f"does-worse-{place + 1}", system, sorted({self._items[at] for at in members}), kind)
            for place, (system, kind, members) in enumerate(found[:MOST])
        ]

    def _found(self) -> Iterator[tuple[str, Weakness, list[int]]]:
        """Each system that does worse somewhere, with the kind and the numbers of its questions."""
        import numpy as np

        texts = np.array([*self._known], dtype=object)
        columns = {name: texts[np.frombuffer(numbers, dtype=np.uintc)] for name, numbers in self._texts.items()}
        columns |= {name: np.frombuffer(values, dtype=np.uintc) for name, values in self._counts.items()}
        images = np.array(self._images, dtype=np.int64)
        for system, codes in self._codes.items():
            column = np.frombuffer(codes.ljust(len(images), NOT_ASKED.encode()), dtype=np.uint8)
            asked = np.flatnonzero(column != ord(NOT_ASKED))
            of_asked = {name: values[asked] for name, values in columns.items()}
            confidence = 1 - _LEVEL / len(self._codes)
            kind = weakness(of_asked, column[asked] != ord(RIGHT), images[asked], confidence)
            if kind is not None:
                yield system, kind, asked[kind.members].tolist()
