"""What the words of a label file mean: decisions, captions as shown, chosen images, and corrections."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from whatif.engine.errors import WhatifError
from whatif.people.imports.items import ACCEPTED, Item, Items
from whatif.people.imports.labels import Label, UnusableError, plain, quoted
from whatif.people.imports.settings import FIRST, OTHER, OWN, SECOND, UNLABELLED, LabelFile

_OF_PAIRS = (FIRST, SECOND, OWN, OTHER)
_BY_NUMBER = {"1": FIRST, "2": SECOND}
_OF_WIDE = {
    **{"caption_1": FIRST, "caption 1": FIRST, "first": FIRST},
    **{"caption_2": SECOND, "caption 2": SECOND, "second": SECOND},
    **{"original": "caption_0", "counterfactual": "caption_1", "correct": OWN, "incorrect": OTHER},
}
_DECIDES = ("corrected-copy", "rejected-ids", "chosen-images")  # formats that say accept or reject without words


class Words:
    """The words of one file.

    Raises WhatifError when a word stands for a decision that the items do not have.
    """

    def __init__(self, path: Path, file: LabelFile, items: Items) -> None:
        known = (*items.decisions, *(_OF_PAIRS if items.are_images_of_pairs else ()), UNLABELLED)
        for word, meaning in file.values.items():
            if meaning not in known and items.read is None:
                raise WhatifError(
                    f"{path}: values: {quoted(word)} stands for {quoted(meaning)}; use one of {', '.join(known)}"
                )
        if file.format in _DECIDES and ACCEPTED not in items.decisions:
            raise WhatifError(
                f"{path}: the format {file.format} accepts and rejects items; the decisions here are "
                f"{', '.join(items.decisions) or 'answers'}, so use another format"
            )
        self._read = items.read
        given = file.values or _defaults(file, items)
        self._meanings = {plain(word): meaning for word, meaning in given.items()}
        if len(self._meanings) < len({(plain(word), meaning) for word, meaning in given.items()}):
            raise WhatifError(
                f"{path}: values: two words that differ only in capitals or spaces stand for two decisions"
            )
        self._known = ", ".join(given)
        self._chooses = file.format == "chosen-images"
        self._correctable = {field.lower(): field for field in items.correctable}
        self._image_field = items.image_field

    def decision(self, label: Label, item: Item, order: tuple[int, int] | None) -> tuple[str, Mapping[str, str]] | None:
        """The decision of a label and the correction that it makes, if it chooses an image; None if it is no label.

        Raises UnusableError for an unknown word, and for a caption as shown if the order of the captions is not known.
        """
        if label.means:
            return label.means, {}
        meaning = self._meanings.get(plain(label.decision))
        if self._read is not None and meaning != UNLABELLED:
            return self._read(item, meaning or label.decision), {}
        if meaning is None and self._chooses:
            return ACCEPTED, self._chosen(label, item)
        if meaning is None:
            meaning = _caption(label.decision, item)
        if meaning is None:
            texts = ", nor the text of an option" if item.captions else ""
            told = f"{quoted(label.decision)} is not one of {self._known}{texts}"
            raise UnusableError("unknown label", f"{told} (column {label.columns[2]})")
        if meaning == UNLABELLED:
            return None
        if meaning in (FIRST, SECOND):
            if order is None:
                told = f"{quoted(label.decision)} is the {meaning} caption, but the row does not tell which one that is"
                raise UnusableError("order of captions", f"column {label.columns[2]}: {told}")
            return f"caption_{order[meaning == SECOND]}", {}
        if meaning in (OWN, OTHER):
            meaning = f"caption_{abs((item.side or 0) - (meaning == OTHER))}"
        return meaning, {}

    def corrections(self, label: Label, item: Item) -> dict[str, str]:
        """The fields of the item to which a label gives another value than they have.

        Raises UnusableError for a field that nobody may correct.
        """
        found = {}
        for field, new in label.corrected.items():
            name = self._correctable.get(field.lower()) if self._correctable else field
            if name is None or (self._correctable and name not in item.fields):
                fields = ", ".join(item.fields) or "none"
                raise UnusableError("unknown field", f"{quoted(field)} has a new value; the fields that can: {fields}")
            form = item.forms.get(name, str)
            if form(new) != form(item.fields.get(name, "")):
                found[name] = form(new)
        return found

    def _chosen(self, label: Label, item: Item) -> Mapping[str, str]:
        name = PurePosixPath(label.decision.replace("\\", "/")).name
        for chosen in (label.decision, name, PurePosixPath(name).stem):
            if chosen in item.candidates:
                new = item.candidates[chosen]
                return {} if new == item.fields.get(self._image_field) else {self._image_field: new}
        candidates = ", ".join(sorted(item.candidates)[:5]) or "none"
        raise UnusableError(
            "unknown image",
            f"column {label.columns[2]}: {quoted(label.decision)} is no candidate of item {item.item_id}: {candidates}",
        )


def _caption(text: str, item: Item) -> str | None:
    """The decision for a caption whose text was written as the label; None if it is not exactly one caption."""
    said = plain(text)
    named = [side for side, caption in enumerate(item.captions or ()) if said == plain(caption)]
    return f"caption_{named[0]}" if len(named) == 1 else None


def _defaults(file: LabelFile, items: Items) -> dict[str, str]:
    """The words of a format, if the settings give none."""
    own = {decision: decision for decision in items.decisions}
    if not items.are_images_of_pairs:
        return own
    if file.format in ("long", "columns"):
        return {**own, **_BY_NUMBER}
    neutral = {decision: decision for decision in items.decisions if not decision.startswith("caption_")}
    return {**_BY_NUMBER, **(_OF_WIDE if file.format == "wide" else {}), **neutral}
