"""The probabilities of the true labels of items, from labels by annotators of different reliability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from whatif.scoring.statistics.clusters import Floats, Integers

_ROUNDS = 15  # of expectation maximisation; further rounds change no probability that matters


@dataclass(frozen=True)
class Labelled:
    """The labels of items that have at least two; the three arrays have one entry for each label.

    Entries are sorted by item and annotator. The numbers in the arrays are places in the names, which are sorted.
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    item: Integers
    annotator: Integers
    label: Integers


def labelled(labels: Mapping[str, Mapping[str, str]]) -> Labelled:
    """The labels (item -> annotator -> label) as arrays. Items with fewer than two labels are left out."""
    several = {item: labels[item] for item in sorted(labels) if len(labels[item]) > 1}
    entries = [(item, name, label) for item, of_item in several.items() for name, label in sorted(of_item.items())]
    names = [tuple(sorted(set(column))) for column in zip(*entries, strict=True)] or [(), (), ()]
    places = [{name: place for place, name in enumerate(column)} for column in names]
    arrays = [
        np.array([place[entry[column]] for entry in entries], dtype=np.int64) for column, place in enumerate(places)
    ]
    return Labelled(names[0], names[1], names[2], arrays[0], arrays[1], arrays[2])


def truth_without(data: Labelled, annotator: int) -> Floats:
    """The probability of each label (items x labels) to be the true one, from all labels but those of one annotator.

    The model is that of Hovy, Berg-Kirkpatrick, Vaswani and Hovy, "Learning whom to trust with MACE", NAACL 2013: an
    annotator knows the true label of an item with a probability of their own, and otherwise guesses with label
    frequencies of their own. It is fitted by expectation maximisation with weak priors (one known and one guessed
    item, half a guess of each label), from the same start for everyone.
    """
    used = data.annotator != annotator
    item, who, label = data.item[used], data.annotator[used], data.label[used]
    items, annotators, kinds = len(data.items), len(data.annotators), len(data.labels)
    of_label, by_whom = item * kinds + label, who * kinds + label
    number = np.bincount(who, minlength=annotators)
    knows = np.full(annotators, 0.7)
    guesses = np.full((annotators, kinds), 1 / kinds)
    share = np.full(kinds, 1 / kinds)
    truth = np.empty((items, kinds))
    for _ in range(_ROUNDS):
        guessed = (1 - knows[who]) * guesses.ravel()[by_whom]
        # log P(labels of the item | true label), less what does not depend on the true label
        ratio = np.log1p(knows[who] / guessed)
        truth = np.bincount(of_label, ratio, minlength=items * kinds).reshape(items, kinds) + np.log(share)
        truth = np.exp(truth - truth.max(axis=1, keepdims=True))
        truth /= truth.sum(axis=1, keepdims=True)
        known = truth.ravel()[of_label] * knows[who] / (knows[who] + guessed)
        knows = (np.bincount(who, known, minlength=annotators) + 1) / (number + 2)
        guesses = np.bincount(by_whom, 1 - known, minlength=annotators * kinds).reshape(annotators, kinds) + 0.5
        guesses /= guesses.sum(axis=1, keepdims=True)
        share = (truth.sum(axis=0) + 1) / (items + kinds)
    return truth
