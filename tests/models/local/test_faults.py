"""The effect of a question that cannot be asked, of too little memory, and of a kill on a run of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.models import families
from tests.models.families import (
    BLIP,
    CHAT,
    OPTIONS,
    llava_ending,
    network,
    picture,
    question,
    questions_sharing_images,
    quick,
)
from tests.pictures import icon
from whatif.engine.artifacts.images import ImageStore, image_row
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.models import Answer, Question
from whatif.models.local.faults import about_one_question, device_failed, first_line, out_of_memory
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored
from whatif.scoring.open_answers import open_predictions

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")

_CPU_MESSAGE = (
    "[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
    "99999999999 bytes. Error code 12 (Cannot allocate memory)"
)
_TOKENS = "What are <image>, <|image|>, <|image_pad|>, <IMG_CONTEXT> and <start_of_image>?"


loaded = partial(families.loaded, max_new_tokens=3, batch_size=8)


# A Gemma 3 has one token for an image in the text, and another for each part of it.
@pytest.mark.parametrize(
    ("family", "words"), [*((family, _TOKENS) for family in (*CHAT, *BLIP)), ("gemma3", "What is <image_soft_token>?")]
)
def test_the_words_of_a_question_may_hold_the_token_of_a_picture(family: str, words: str) -> None:
    model = loaded(family)
    whole = [question([picture(n)], "How many dots?") for n in range(3)]
    expected = list(model.answer(whole))
    odd = question([picture(1)], words)  # the same image as the second: in families that share it, too
    answers = list(model.answer([*whole, odd, replace(odd, options=("A", "B"))]))
    assert answers[:3] == expected
    for answer in answers[3:]:
        assert (answer.status, answer.response, answer.option_scores) == ("error", None, None)
        assert answer.reason is not None and "image" in answer.reason and "\n" not in answer.reason


@pytest.mark.parametrize("family", quick("qwen2_5_vl", of=["qwen2_vl", "qwen2_5_vl", "qwen3_vl"]))
def test_a_picture_that_is_too_narrow_is_one_error(family: str) -> None:
    model = loaded(family)
    narrow = [question([picture(1, 2000, 6)], options=options) for options in ((), OPTIONS)]
    good = [question([picture(n)]) for n in range(2)]
    answers = list(model.answer([good[0], *narrow, good[1]]))
    assert [answer.status for answer in answers] == ["ok", "error", "error", "ok"]
    assert all("absolute aspect ratio" in (answer.reason or "") for answer in answers[1:3])


@pytest.mark.parametrize("family", ["blip2-opt", "instructblip-opt", "instructblip-t5"])
def test_a_question_of_3000_words_is_one_error(family: str) -> None:
    model = loaded(family)
    long = [question([picture(1)], "dots " * 3000, options) for options in ((), OPTIONS)]
    answers = list(model.answer([question([picture(0)]), *long, question([picture(2)])]))
    assert [answer.status for answer in answers] == ["ok", "error", "error", "ok"]
    for answer in answers[1:3]:
        assert (answer.reason or "").startswith("the question takes 30") and "this model takes 512" in str(
            answer.reason
        )


def test_a_response_that_leaves_the_positions_of_the_model_says_so() -> None:
    model = loaded("blip2-opt")
    asked = [question([picture(1)], "dots " * 499), question([picture(2)])]
    long, short = model.answer([replace(one, max_new_tokens=64) for one in asked])
    assert short.status == "ok"
    assert (long.status, long.response) == ("error", None)
    assert "more tokens than it has positions" in (long.reason or "") and "\n" not in (long.reason or "")


def test_what_the_model_raises_for_one_question_is_its_answer() -> None:
    model = loaded("llava")
    questions = questions_sharing_images()
    expected = list(model.answer(questions))
    generate = network(model).generate
    refused = model.checkpoint.encode([model.prompt(questions[5])])["input_ids"].shape[1]

    def fussy(**inputs: Any) -> Any:
        if inputs["attention_mask"].sum(dim=1).eq(refused).any():
            raise IndexError("index out of range\nat length")
        return generate(**inputs)

    def never(*_: Any) -> Any:
        raise RuntimeError("sizes do not match")

    network(model).generate = fussy
    object.__setattr__(model.checkpoint, "generate_together", never)
    answers = list(model.answer(questions))
    wrong = [place for place, answer in enumerate(answers) if answer.status == "error"]
    assert 5 in wrong and len(wrong) < len(questions)
    assert {answers[place].reason for place in wrong} == {"the model cannot be asked this: index out of range"}
    assert all(answers[place] == expected[place] for place in range(len(questions)) if place not in wrong)


def test_an_undecodable_picture_is_one_error_from_end_to_end(tmp_path: Path) -> None:
    pictures = [image_row(icon((200, 60 * n, 60)), 40, 40, "test", "CC0-1.0") for n in range(3)]
    cut = icon((9, 9, 9))[:60]
    pictures.append(image_row(cut, 40, 40, "test", "CC0-1.0"))
    broken = pictures[3]["image_id"]
    write_artifact(tmp_path / "images.parquet", IMAGES, pictures)
    rows = [
        {
            "question_id": f"{number}-{variant}",
            "group": "direct",
            "variant": variant,
            "question": f"How many cats are there{more}?",
            "choices": None,
            "answer": "2",
            "answer_kind": "number",
            "image_ids": [pictures[number]["image_id"]],
        }
        for number in range(4)
        for variant, more in (("counterfactual", " if 1 left"), ("original", ""))
    ]
    with ResponseStore(tmp_path / "store.sqlite") as store:
        model = stored(loaded("llava"), store)
        images = ImageStore([tmp_path / "images.parquet"])
        made = list(open_predictions(rows, images, "tiny", model, strategy="direct"))
        assert sum(store.summary().answers.values()) == 6
    for row, prediction in zip(rows, made, strict=True):
        assert prediction["question_id"] == row["question_id"]
        assert (prediction["status"] == "error") == (row["image_ids"] == [broken])
        assert (prediction["response"] is None) == (row["image_ids"] == [broken])
    assert all(f"picture cannot be decoded: image {broken}" in prediction["reason"] for prediction in made[6:])


def test_answers_of_a_batch_are_there_when_the_next_one_is_begun(tmp_path: Path) -> None:
    model = loaded("llava", batch_size=2)
    generate, begun = network(model).generate, []

    def killed(**inputs: Any) -> Any:
        begun.append(1)
        if len(begun) == 6:
            raise KeyboardInterrupt
        return generate(**inputs)

    questions = [question([picture(n)], f"dots number {n}") for n in range(16)]
    expected = list(model.answer(questions))
    network(model).generate = killed
    with ResponseStore(tmp_path / "store.sqlite") as store:
        with pytest.raises(KeyboardInterrupt):
            list(stored(model, store).answer(questions))
        assert sum(store.summary().answers.values()) == 5 * 2
        network(model).generate = generate
        made = list(stored(model, store).answer(questions))
    assert [replace(answer, request_key=None) for answer in made] == expected


def test_answers_come_with_their_places() -> None:
    questions = questions_sharing_images()
    questions[4] = question([picture(0)], options=("A", "B"))
    model = loaded("llava", batch_size=3)
    arrived = list(model.answers_as_they_come(questions))
    assert sorted(place for place, _ in arrived) == list(range(len(questions)))
    assert [place for place, _ in arrived] != list(range(len(questions)))
    assert [answer for _, answer in sorted(arrived, key=lambda pair: pair[0])] == list(model.answer(questions))


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), RuntimeError(_CPU_MESSAGE)])
def test_options_that_memory_does_not_hold_at_once_are_ranked_fewer_at_once(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [question([picture(n)], options=OPTIONS) for n in range(2)]
    expected = list(loaded("llava").answer(asked))
    model = loaded("llava")
    rows: list[int] = []

    def refuse(_: Any, arguments: Any, keywords: dict[str, Any]) -> None:
        rows.append(len(keywords["input_ids"]))
        if rows[-1] > 1:
            raise error

    network(model).register_forward_pre_hook(refuse, with_kwargs=True)
    capsys.readouterr()
    answers = list(model.answer(asked))
    for answer, whole in zip(answers, expected, strict=True):
        assert answer.option_scores is not None and whole.option_scores is not None
        sums = [score.log_likelihood for score in whole.option_scores]
        assert [score.log_likelihood for score in answer.option_scores] == pytest.approx(sums, abs=1e-4)
        assert replace(answer, option_scores=None) == replace(whole, option_scores=None)
    said = [line for line in capsys.readouterr().err.splitlines() if "memory" in line]
    assert said == ["whatif: 4 options at once do not fit into memory; continuing with fewer"]
    assert [count for count in rows if count > 1] == [4, 2]


def test_memory_of_the_machine_counts_as_that_of_a_gpu() -> None:
    questions = [question([picture(n)], f"dots number {n}") for n in range(5)]
    expected = list(loaded("llava").answer(questions))
    model = loaded("llava")
    generate = network(model).generate

    def small(rows: int) -> Any:
        def made(**inputs: Any) -> Any:
            if len(inputs["input_ids"]) > rows:
                raise RuntimeError(_CPU_MESSAGE)
            return generate(**inputs)

        return made

    network(model).generate = small(2)
    assert list(model.answer(questions)) == expected
    assert model.batches.size == 2
    network(model).generate = small(0)
    with pytest.raises(WhatifError, match="out of memory with a single question"):
        list(model.answer(questions))


def test_a_device_that_fails_ends_the_run_in_one_line() -> None:
    for asked in (question([picture(0)]), question([picture(0)], options=("A", "B"))):
        model = loaded("llava")

        def fail(*_: Any, **__: Any) -> None:
            raise torch.AcceleratorError("CUDA error: device-side assert triggered\nmore")

        network(model).register_forward_pre_hook(fail, with_kwargs=True)
        with pytest.raises(WhatifError, match="the device failed: CUDA error: device-side assert triggered; run"):
            list(model.answer([asked]))


def test_mistakes_of_the_program_are_not_taken_for_odd_questions() -> None:
    def mistaken() -> Iterator[Any]:
        raise TypeError("a mistake")

    asked = Question("q", "dots", "original", one_turn("How many?", ["x"]), (), mistaken)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a mistake"):
        list(loaded("llava").answer([asked]))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (torch.OutOfMemoryError("x"), "memory"),
        (MemoryError(), "memory"),
        (RuntimeError(_CPU_MESSAGE), "memory"),
        (RuntimeError("not enough memory: you tried to allocate 9 bytes."), "memory"),
        (torch.AcceleratorError("CUDA error: unspecified launch failure"), "device"),
        (ValueError("absolute aspect ratio"), "question"),
        (IndexError("index out of range in self"), "question"),
        (RuntimeError("sizes do not match"), "question"),
        (TypeError("x"), "none"),
        (KeyboardInterrupt(), "none"),
        (WhatifError("x"), "none"),
    ],
)
def test_errors_are_told_apart(error: BaseException, kind: str) -> None:
    found = {"memory": out_of_memory(error), "device": device_failed(error), "question": about_one_question(error)}
    assert [name for name, is_so in found.items() if is_so] == ([] if kind == "none" else [kind])


def test_the_first_line_of_an_error() -> None:
    assert [first_line(error) for error in (ValueError("\n a\nb"), ValueError())] == ["a", "ValueError"]


def test_an_answer_that_ended_is_not_cut_off(tmp_path: Path) -> None:
    (endless,) = loaded("llava").answer([question([picture(0)])])
    assert (endless.response_tokens, endless.cut_off) == (3, True)
    model = loaded("llava")
    first = model.checkpoint.generate(model.checkpoint.encode([model.prompt(question([picture(0)]))]), 4)[0][0]
    answers: list[Answer] = list(loaded("llava", llava_ending(tmp_path, [first])).answer([question([picture(0)])]))
    assert [(answer.response_tokens, answer.cut_off) for answer in answers] == [(1, False)]
    (ranked,) = loaded("llava").answer([question([picture(0)], options=OPTIONS)])
    assert not ranked.cut_off
