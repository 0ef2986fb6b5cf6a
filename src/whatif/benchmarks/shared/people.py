"""What people judge in a benchmark, as `Benchmark.people` declares it: images of pairs, or questions about images."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from whatif.engine.graph.people import PeoplesWork, Row
from whatif.engine.graph.steps import OutputOf
from whatif.engine.params.whole import Params
from whatif.people.exports.answers import answer_items, answer_task_set
from whatif.people.exports.pairs import pair_task_set
from whatif.people.exports.questions import question_items, question_task_set
from whatif.people.imports.items import Items


def judged_pairs(pairs: OutputOf, images: OutputOf, share: Callable[[Params], float]) -> PeoplesWork:
    """People choose one of two captions for each image of a pair; several people judge the share `share` of them."""
    return PeoplesWork(pairs, [images], pair_task_set, lambda rows, seed: Items.of_pairs(rows, seed=seed), share)


def judged_questions(questions: OutputOf, images: OutputOf) -> PeoplesWork:
    """People decide whether a question can be used, and correct its answer and its wording."""
    return PeoplesWork(questions, [images], question_task_set, question_items)


def answered_questions(
    questions: OutputOf,
    *images: OutputOf,
    further: Mapping[str, Sequence[OutputOf]] | None = None,
    joined: Callable[[Sequence[Row], Mapping[str, Sequence[Row]]], Sequence[Row]] = lambda rows, further: rows,
) -> PeoplesWork:
    """People answer the questions that models are asked; `further` and `joined` are those of `PeoplesWork`."""
    return PeoplesWork(questions, images, answer_task_set, answer_items, further=further or {}, joined=joined)
