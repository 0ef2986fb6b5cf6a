"""The losses of a question's options from a file, in the order in which the question has its options."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS
from whatif.formats.prediction_fields import OptionLoss, Prediction, printable
from whatif.models import OptionScore


def replayed_scores(path: Path, prediction: Prediction, options: Sequence[str]) -> tuple[OptionScore, ...]:
    """The scores of `options` by the prediction's `losses`. A file without numbers of tokens gives the means alone.

    An option is identified by its letter, by its exact text, or by its position in a list.

    Raises WhatifError with file and row when the losses are not those of these options, one for each.
    """
    losses = prediction.losses or ()
    places = [
        place if loss.option is None else _place(path, prediction, loss, options) for place, loss in enumerate(losses)
    ]
    by_place: dict[int, OptionLoss] = {}
    for place, loss in zip(places, losses, strict=True):
        if (earlier := by_place.setdefault(place, loss)) is not loss:
            raise WhatifError(
                f"{path}: {loss.place}: option `{printable(loss.option or '')}` of {prediction.label} is already in "
                f"{earlier.place} as `{printable(earlier.option or '')}`; give one loss for each option"
            )
    missing = [LETTERS[place] for place in range(len(options)) if place not in by_place]
    if missing or len(losses) > len(options):
        without = f", none for {', '.join(missing)}" if missing else ""
        raise WhatifError(
            f"{path}: {prediction.place}: {prediction.label} has {len(losses)} losses for {len(options)} "
            f"options{without}; give one for each option"
        )
    return tuple(_score(by_place[place]) for place in range(len(options)))


def _place(path: Path, prediction: Prediction, loss: OptionLoss, options: Sequence[str]) -> int:
    """The place of the option that a loss names."""
    letters, named = LETTERS[: len(options)], loss.option or ""
    found = [
        place
        for place, (letter, text) in enumerate(zip(letters, options, strict=True))
        if named in (letter, text.strip())
    ]
    if len(found) == 1:
        return found[0]
    where = f"{path}: {loss.place}: option `{printable(named)}` of {prediction.label}"
    if found:
        which = " or ".join(letters[place] for place in found)
        raise WhatifError(f"{where} may be {which}, by its letter or its text; give the losses as a list (`losses`)")
    known = "; ".join(
        dict.fromkeys(f"{letter}: {printable(text)}" for letter, text in zip(letters, options, strict=True))
    )
    raise WhatifError(f"{where} is none of its options; it must be a letter or a text of: {known}")


def _score(loss: OptionLoss) -> OptionScore:
    # A loss of 0 has the log-likelihood 0, not -0.0.
    total = None if loss.total is None else 0.0 - loss.total
    return OptionScore(total, loss.tokens, 0.0 - loss.mean)
