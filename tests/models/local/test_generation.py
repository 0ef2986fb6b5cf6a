"""Open questions answered in batches equal those answered one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.models import families
from tests.models.families import CHAT, FAMILIES, llava_ending, mixed_questions, network, picture, question
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.models import Answer, Question
from whatif.models.local.answerer import LocalModel, Prompt
from whatif.models.local.generation import Batches

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")

_LENGTH = 6
SOME = families.quick("llava", "qwen2_5_vl", "blip2-t5", "blind", of=FAMILIES)
loaded = partial(families.loaded, max_new_tokens=_LENGTH)


def tokens(model: LocalModel, questions: Sequence[Question], at_once: int) -> list[list[int]]:
    made: list[list[int]] = []
    for start in range(0, len(questions), at_once):
        prompts = [Prompt(asked.messages, asked.images()) for asked in questions[start : start + at_once]]
        made += model.checkpoint.generate(model.checkpoint.encode(prompts), model.checkpoint.max_new_tokens)
    return made


@pytest.mark.parametrize("family", FAMILIES)
def test_a_batch_says_what_each_question_gets_alone_token_for_token(family: str) -> None:
    model = loaded(family)
    counts = (1, 2) if family in CHAT else (1,)
    for count in counts:
        questions = mixed_questions([count])
        alone = tokens(model, questions, 1)
        assert len(set(map(tuple, alone))) > 3  # the answers are not all the same
        assert tokens(model, questions, 4) == alone
        assert tokens(model, questions, 9) == alone


@pytest.mark.parametrize("family", SOME)
def test_batches_change_no_answer_and_no_order(family: str) -> None:
    questions = mixed_questions([1, 0, 2] if family in CHAT else [1])
    one, many = (list(loaded(family, batch_size=size).answer(questions)) for size in (1, 4))
    assert many == one
    assert {answer.status for answer in one} == {"ok"}
    assert all(answer.response is not None and answer.letter is None for answer in one)
    assert max(answer.response_tokens or 0 for answer in one) == _LENGTH


@pytest.mark.parametrize("family", SOME)
def test_prompt_tokens_do_not_count_padding(family: str) -> None:
    model = loaded(family, batch_size=4)
    questions = mixed_questions([1])
    for asked, answer in zip(questions, model.answer(questions), strict=True):
        alone = model.checkpoint.encode([Prompt(asked.messages, asked.images())])
        assert answer.prompt_tokens == alone["input_ids"].shape[1]


def test_the_picture_decides_what_is_said() -> None:
    first, second, again = loaded("llava").answer([question([picture(seed)]) for seed in (0, 1, 0)])
    assert first.response != second.response
    assert again == first


def test_an_answer_ends_where_the_checkpoint_says(tmp_path: Path) -> None:
    questions = mixed_questions([1])
    endless = tokens(loaded("llava"), questions, 1)
    end = next(row[2] for row in endless if row[2] not in row[:2] and any(row[2] not in other for other in endless))
    # Recommended settings of the checkpoint other than its end tokens are ignored.
    llava_ending(tmp_path, [2, end], do_sample=True, temperature=9.0, repetition_penalty=5.0)
    ended = tokens(loaded("llava", tmp_path), questions, 9)
    assert ended == [row[: row.index(end) + 1] if end in row else row for row in endless]
    assert len(set(map(len, ended))) > 1
    answers = list(loaded("llava", tmp_path).answer(questions))
    assert [answer.response_tokens for answer in answers] == list(map(len, ended))


def test_a_broken_picture_in_a_batch_is_one_error() -> None:
    def broken() -> list[Any]:
        raise OSError("image 12ab: truncated")

    questions = mixed_questions([1])
    questions[4] = Question("q", "dots", "original", one_turn("How many?", ["12ab"]), (), broken)
    answers = list(loaded("llava", batch_size=4).answer(questions))
    assert (answers[4].status, answers[4].reason) == ("error", "picture cannot be decoded: image 12ab: truncated")
    expected = list(loaded("llava", batch_size=4).answer(mixed_questions([1])))
    assert [*answers[:4], *answers[5:]] == [*expected[:4], *expected[5:]]


def test_ranked_and_open_questions_may_be_mixed() -> None:
    opened = mixed_questions([1])[:3]
    ranked = question([picture(0)], options=("A", "B"))
    answers = list(loaded("llava", batch_size=4).answer([opened[0], ranked, *opened[1:]]))
    assert [answer.option_scores is None for answer in answers] == [True, False, True, True]
    assert [answers[0], *answers[2:]] == list(loaded("llava", batch_size=4).answer(opened))


def out_of_memory_above(model: LocalModel, rows: int) -> list[int]:
    """Makes the model's forward pass run out of memory for more than `rows` rows; returns the batches it was given."""
    given: list[int] = []

    def refuse(_: Any, arguments: Any, keywords: dict[str, Any]) -> None:
        if (ids := keywords.get("input_ids")) is not None and ids.shape[1] > 1:
            given.append(len(ids))
            if len(ids) > rows:
                raise torch.OutOfMemoryError("CUDA out of memory")

    network(model).register_forward_pre_hook(refuse, with_kwargs=True)
    return given


def test_a_batch_that_memory_does_not_hold_is_halved_and_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    questions = mixed_questions([1])
    expected = list(loaded("llava", batch_size=1).answer(questions))
    model = loaded("llava", batch_size=8)
    given = out_of_memory_above(model, 2)
    capsys.readouterr()
    assert list(model.answer(questions)) == expected
    assert given == [8, 4, 2, 2, 2, 2, 1]
    (said,) = [line for line in capsys.readouterr().err.splitlines() if "memory" in line]
    assert said == "whatif: 8 questions at once do not fit into memory; continuing with fewer"
    assert list(model.answer(questions)) == expected
    assert given[7:] == [2, 2, 2, 2, 1]  # the smaller size is kept
    assert "memory" not in capsys.readouterr().err


def test_a_single_question_that_memory_does_not_hold_ends_the_run() -> None:
    model = loaded("llava", batch_size=4)
    out_of_memory_above(model, 0)
    for asked in (question([picture(0)]), question([picture(0)], options=("A", "B"))):
        with pytest.raises(WhatifError, match="out of memory with a single question; use a smaller dtype"):
            list(model.answer([asked]))


def test_batches_keep_the_order_and_the_size() -> None:
    sizes: list[int] = []

    def work(items: Sequence[int]) -> list[str]:
        sizes.append(len(items))
        return [str(item) for item in items]

    assert list(Batches(3).run(range(8), work)) == [str(item) for item in range(8)]
    assert sizes == [3, 3, 2]
    assert list(Batches(3).run([], work)) == []


def test_no_questions_no_answers() -> None:
    nothing: list[Answer] = list(loaded("llava", batch_size=4).answer([]))
    assert nothing == []
