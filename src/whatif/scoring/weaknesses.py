"""The kind of questions in which a model does worse than elsewhere: found on half of the images, tested on the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.engine.language.if_clauses import if_clause
from whatif.engine.random_streams import stream
from whatif.scoring.statistics.clustered import clustered_share
from whatif.scoring.statistics.intervals import Interval, square_and_add

Booleans = npt.NDArray[np.bool_]
Columns = Mapping[str, npt.NDArray[Any]]  # a property of questions -> its number or text for each
LEAST = 20  # questions of a kind, in each half
_DEPTH = 2  # conditions


@dataclass(frozen=True)
class Weakness:
    """A kind of questions: what they have in common, and how often they are answered wrong, in the second half.

    conditions: such as `group is dot-maximum` and `words > 14`. n, others: questions of this kind and of all others.
    wrong, elsewhere: their shares of wrong answers, in fractions; more: the first minus the second, with its interval.
    members: the questions of this kind in both halves.
    """

    conditions: tuple[str, ...]
    n: int
    others: int
    wrong: Interval
    elsewhere: Interval
    more: Interval
    members: Booleans


def properties(questions: Sequence[Mapping[str, Any]]) -> dict[str, npt.NDArray[Any]]:
    """The properties of questions (rows of the table `questions`) by which a kind is described, in their order."""
    numbers = [
        {**counts(row["question"], row["choices"] or ()), "images": len(row["image_ids"] or ())} for row in questions
    ]
    return {
        "group": np.array([row["group"] for row in questions]),
        "variant": np.array([row["variant"] for row in questions]),
        "kind of answer": np.array([row["answer_kind"] for row in questions]),
        **{name: np.array([one[name] for one in numbers], dtype=np.int64) for name in (numbers[0] if numbers else ())},
    }


def counts(question: str, choices: Sized) -> dict[str, int]:
    """What is counted in a question and its options, by the name of the property."""
    return {
        "words": len(question.split()),
        "words of the presupposition": len((if_clause(question) or "").split()),
        "options": len(choices),
    }


def weakness(columns: Columns, wrong: Booleans, images: npt.NDArray[np.int64], confidence: float) -> Weakness | None:
    """The kind of questions that are answered wrong most often, if a test on other images agrees; None if it does not.

    A classification tree of two levels is grown on half of the images, drawn by chance; the kind is the node with the
    largest excess of wrong answers over all other questions, in standard errors. On the other half, which the tree has
    not seen, it must be wrong more often than all other questions: the interval of the difference, by image, is above
    0. Without that half the kind would always look worse, because it was chosen for it. `confidence` must allow for the
    number of models that are tested.

    `images` has the number of each question's image, from 0.
    """
    matrix, names = _matrix(columns)
    first_half = stream(0, "weaknesses").permutation(int(images.max()) + 1)[images] % 2 == 0
    if (
        min(first_half.sum(), (~first_half).sum()) < 2 * LEAST
        or not names
        or wrong[first_half].all()
        or not wrong[first_half].any()
    ):
        return None
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_depth=_DEPTH, min_samples_leaf=LEAST, random_state=0)
    tree.fit(matrix[first_half], wrong[first_half])
    nodes = _nodes(tree.tree_, tree.apply(matrix))
    excess = [_excess(node[first_half], wrong[first_half]) for node in nodes[1:]]
    if not excess or max(excess) <= 0:
        return None
    kind = 1 + int(np.argmax(excess))
    inside = nodes[kind]
    tested, others = ~first_half & inside, ~first_half & ~inside
    if min(tested.sum(), others.sum()) < LEAST:
        return None
    shares = [clustered_share(wrong[part], images[part], confidence=confidence) for part in (tested, others)]
    more = square_and_add(*shares)
    if more.low <= 0:
        return None
    conditions = tuple(_path(tree.tree_, kind, names))
    return Weakness(conditions, int(tested.sum()), int(others.sum()), shares[0], shares[1], more, inside)


def _nodes(tree: Any, leaves: npt.NDArray[np.int64]) -> list[Booleans]:
    """The questions in each node of a tree, from their leaves; a node comes before its children."""
    inside: dict[int, Booleans] = {}
    for node in reversed(range(tree.node_count)):
        below = [inside[child] for child in (tree.children_left[node], tree.children_right[node]) if child > 0]
        inside[node] = np.logical_or(*below) if below else leaves == node
    return [inside[node] for node in range(tree.node_count)]


def _excess(inside: Booleans, wrong: Booleans) -> float:
    """How much more often the questions of a node are answered wrong than the others, in standard errors."""
    share, both = wrong.mean(), 1 / inside.sum() + 1 / (~inside).sum()
    return float((wrong[inside].mean() - wrong[~inside].mean()) / np.sqrt(share * (1 - share) * both))


_Name = tuple[str, str | None, str]  # a property; a value of a text, and what is said of questions with another one


def _matrix(columns: Columns) -> tuple[npt.NDArray[np.float32], list[_Name]]:
    """The columns as numbers, one for each value of a text, without constant ones; and what each of them stands for.

    They have the precision of the tree.
    """
    parts: list[npt.NDArray[np.float32]] = []
    names: list[_Name] = []
    for name, values in columns.items():
        if values.dtype.kind in "iuf":
            if np.ptp(values) > 0:
                parts.append(values.astype(np.float32))
                names.append((name, None, ""))
            continue
        kinds = sorted(set(values.tolist()))
        for place, kind in enumerate(kinds if len(kinds) > 1 else ()):
            parts.append((values == kind).astype(np.float32))
            names.append((name, str(kind), str(kinds[1 - place]) if len(kinds) == 2 else f"not {kind}"))
    return (np.column_stack(parts) if parts else np.empty((0, 0), np.float32)), names


def _path(tree: Any, node: int, names: Sequence[_Name]) -> Iterator[str]:
    """The conditions from the root to a node; `is not` is left out of a property that has an `is`."""
    steps = []
    while node:
        parent = int(np.flatnonzero((tree.children_left == node) | (tree.children_right == node))[0])
        steps.append((*names[tree.feature[parent]], tree.children_right[parent] == node, tree.threshold[parent]))
        node = parent
    settled = {name for name, kind, _, above, _ in steps if kind is not None and above}
    for name, kind, other, above, threshold in reversed(steps):
        if kind is None:
            yield f"{name} {'>' if above else '<='} {threshold:g}"
        elif above or name not in settled:
            yield f"{name} is {kind if above else other}"
