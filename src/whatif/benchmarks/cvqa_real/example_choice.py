"""Which questions written by people are shown to a chat model as examples (C-VQA 3.1: in-context examples)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, ORIGINAL, PEOPLE
from whatif.benchmarks.cvqa_real.settings import NAME, Examples
from whatif.benchmarks.cvqa_real.writer_prompts import Example
from whatif.benchmarks.cvqa_real.writer_requests import Source
from whatif.benchmarks.cvqa_real.written_rules import fault_of, steps_fault
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream

if TYPE_CHECKING:
    from whatif.models.language.sentence_similarity import SentenceEmbedder

Row = Mapping[str, Any]
FILE, PACKAGE = "file", "package"  # origins of a pool, besides people
_DIGITS = 6  # of a mean similarity; the last ones depend on the batch, and must not decide between two examples
_CLAUSE = re.compile(r"\bif\s+(?P<clause>[^,?]+?)\s*(?:,.*)?\?*\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,9}")


@dataclass(frozen=True)
class Pool:
    """The examples of a group in order, and where they come from: a `file`, `people` who annotate, or this `package`.

    `left_out` counts questions of people that are no examples, because the filter would reject them, or because they
    have no steps and none can be computed.
    """

    group: str
    examples: tuple[Example, ...]
    origin: str
    left_out: int = 0

    def for_request(self, sources: Sequence[Source]) -> list[Example]:
        """The examples that a request may show: none is about one of its own questions."""
        asked = {one.source_id for one in sources}
        return [one for one in self.examples if not isinstance(one, SeedOfPeople) or one.source_id not in asked]


def pool_of(group: str, settings: Examples, annotated: Iterable[Row], questions: Iterable[Row]) -> Pool:
    """The examples of a group: those of `settings.file`; else people's questions; else those of this package.

    `annotated` are rows of `WRITTEN` by people, `questions` those that they changed. Nothing is read if no example is
    asked for.

    Raises WhatifError as `read_seeds` does, and when the file has no example of the group.
    """
    from whatif.benchmarks.cvqa_real.seeds import read_seeds

    if settings.number == 0:
        return Pool(group, (), PACKAGE)
    if settings.file is None:
        rows = [row for row in annotated if row["group"] == group]
        originals = {row["pair_id"]: row for row in questions if row["variant"] == ORIGINAL} if rows else {}
        found = [seed_of_people(row, originals[row["source_id"]]) for row in rows if row["source_id"] in originals]
        usable = tuple(one for one in found if one is not None)
        if usable:
            return Pool(group, usable, PEOPLE, len(rows) - len(usable))
        return Pool(group, _of_group(read_seeds(None), group), PACKAGE, len(rows))
    examples = _of_group(read_seeds(settings.file), group)
    if not examples:
        raise WhatifError(
            f"{settings.file}: has no example of the group {group}; add some, or set examples.number to 0 for a prompt "
            "without examples"
        )
    return Pool(group, examples, FILE)


def _of_group(seeds: Iterable[Any], group: str) -> tuple[Example, ...]:
    return tuple(seed for seed in seeds if seed.group == group)


def chosen_examples(
    pool: Pool, requests: Sequence[Sequence[Source]], settings: Examples, seed: int
) -> list[tuple[Example, ...]]:
    """The examples of each request, in the order in which they are shown.

    `fixed`: the first ones. `random`: drawn for each request by the seed and the request's first question. `nearest`:
    those whose question is most similar to the questions of the request, by the mean of the cosines; the most similar
    first, ties by id.

    Raises WhatifError as `sentence_embedder` does.
    """
    if not pool.examples or not requests:
        return [()] * len(requests)
    if settings.rule == "nearest":
        return _nearest(pool, requests, settings)
    found = []
    for request in requests:
        allowed = pool.for_request(request)
        if settings.rule == "random":
            order = stream(seed, NAME, "examples", pool.group, request[0].source_id).permutation(len(allowed))
            allowed = [allowed[place] for place in order]
        found.append(tuple(allowed[: settings.number]))
    return found


def _nearest(pool: Pool, requests: Sequence[Sequence[Source]], settings: Examples) -> list[tuple[Example, ...]]:
    from whatif.models.language.sentence_similarity import sentence_embedder

    embedder = sentence_embedder(settings.similarity)
    of_examples = _embedded(embedder, [one.question for one in pool.examples])
    of_questions = _embedded(embedder, [one.question for request in requests for one in request])
    found = []
    for request in requests:
        mean = np.mean([of_questions[one.question] for one in request], axis=0)
        ranked = sorted(
            pool.for_request(request),
            key=lambda one: (-round(float(of_examples[one.question] @ mean), _DIGITS), one.seed_id),
        )
        found.append(tuple(ranked[: settings.number]))
    return found


def _embedded(embedder: SentenceEmbedder, texts: Iterable[str]) -> dict[str, Any]:
    distinct = sorted(set(texts))
    return dict(zip(distinct, embedder.embed(distinct), strict=True))


@dataclass(frozen=True)
class SeedOfPeople:
    """An example about the source question `source_id`; `seed_id` is the id of the counterfactual question."""

    seed_id: str
    source_id: str
    question: str
    answer: str
    step1: str
    step2: str
    new_question: str
    new_answer: str


def seed_of_people(row: Row, original: Row) -> SeedOfPeople | None:
    """The example that a row of `WRITTEN` makes with the original question.

    None if its steps are not known, and if the filter would reject it. Steps that people wrote in another form than
    models are asked for, such as without a calculation, are computed.
    """
    if fault_of(row, original) is not None:
        return None
    steps = row["step1"], row["step2"]
    if not all(steps) or steps_fault(row, original["answer"], needed=True) is not None:
        computed = arithmetic_steps(row["group"], original["answer"], row["question"], row["answer"])
        if computed is None:
            return None
        steps = computed
    return SeedOfPeople(
        seed_id=row["written_id"],
        source_id=row["source_id"],
        question=original["question"],
        answer=original["answer"],
        step1=steps[0],
        step2=steps[1],
        new_question=row["question"],
        new_answer=row["answer"],
    )


def arithmetic_steps(group: str, answer: str, new_question: str, new_answer: str) -> tuple[str, str] | None:
    """Step1 and Step2 of a numerical question: its if clause, and the sum or difference that gives its answer.

    None for other questions, without an if clause, and for answers that are no whole numbers.
    """
    clause = _CLAUSE.search(new_question)
    if group == BOOLEAN or clause is None or not (_NUMBER.fullmatch(answer) and _NUMBER.fullmatch(new_answer)):
        return None
    before, after = int(answer), int(new_answer)
    calculation = f"{before}-{before - after}" if after < before else f"{before}+{after - before}"
    return f"Suppose that {clause['clause']}.", f"The answer would be {calculation}={after}"
