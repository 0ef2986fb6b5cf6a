"""Unconditional likelihoods of options: what is asked, how often, and that they equal whole passes."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from tests.models.families import BLIP, CHAT, picture
from tests.scoring.test_rank import Pictures, row
from tests.tiny_checkpoints import tiny_text_model
from whatif.benchmarks.shared.evaluation import TransientErrors
from whatif.engine.language.messages import one_turn
from whatif.engine.params.checkpoints import BlindTextModel, HuggingFaceBlip, HuggingFaceChat
from whatif.engine.params.models import Baseline
from whatif.models import Answer, Model, OptionScore, Question, Unconditional, load
from whatif.models.local.answerer import LocalModel
from whatif.models.local.option_scores import whole_pass_scores
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import StoredModel
from whatif.scoring.rank import predictions

pytestmark = pytest.mark.slow

BOTH: tuple[Unconditional, ...] = ("without_image", "without_prompt")


@dataclass
class Ranking:
    """Scores an option by its length, the prompt and the number of images; records what it is asked, when asked."""

    unconditional: tuple[Unconditional, ...] = BOTH
    refuses: frozenset[str] = frozenset()  # prompts
    asked: list[Question] = field(default_factory=list)
    identity: dict[str, str] = field(default_factory=lambda: {"adapter": "fake"})

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        for question in questions:
            self.asked.append(question)
            if question.prompt in self.refuses:
                yield Answer(status="error", reason=f"refused: {question.prompt!r}")
                continue
            shift = len(question.prompt) + 100 * len(question.images())
            scores = tuple(OptionScore(-1.0 * shift - len(option), len(option)) for option in question.options)
            yield Answer(option_scores=scores) if scores else Answer(response="A")


def asked_of(model: Ranking) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(question.prompt, len(question.image_ids), question.options) for question in model.asked]


def made(questions: Sequence[dict[str, Any]], model: Model, form: Any = "rank-text") -> list[dict[str, Any]]:
    return list(predictions(questions, Pictures(), "m", model, form=form))


def test_each_option_is_scored_without_the_image_and_after_nothing() -> None:
    model = Ranking()
    (found,) = made([row(0, "original", choices=["7", "16"])], model)
    words = "How many dots are there?"
    assert asked_of(model) == [(words, 1, ("7", "16")), (words, 0, ("7", "16")), ("", 0, ("16", "7"))]
    exact = {"at_most": False}
    assert found["choice_scores"] == [
        {
            **exact,
            "log_likelihood": -125.0,
            "tokens": 1,
            "mean": -125.0,
            "without_image": -25.0,
            "without_prompt": -1.0,
        },
        {**exact, "log_likelihood": -126.0, "tokens": 2, "mean": -63.0, "without_image": -26.0, "without_prompt": -2.0},
    ]
    assert found["answer"] == "B"


def test_after_nothing_equal_options_are_asked_once() -> None:
    model = Ranking()
    choices = [["16", "7", "112", "13"], ["12", "7", "12", "9"], ["13", "112", "16", "7"]]
    questions = [row(number, "original", choices=each) for number, each in enumerate(choices)]
    found = made(questions, model)
    after_nothing = [question.options for question in model.asked if not question.prompt]
    assert after_nothing == [("112", "13", "16", "7"), ("12", "7", "9")]
    assert [[score["without_prompt"] for score in each["choice_scores"]] for each in found] == [
        [-2.0, -1.0, -3.0, -2.0],
        [-2.0, -1.0, -2.0, -1.0],
        [-2.0, -3.0, -2.0, -1.0],
    ]
    letters = Ranking()
    made(questions, letters, "rank-letter")
    assert [question.options for question in letters.asked if not question.prompt] == [("A", "B", "C", "D")]
    assert len(letters.asked) == 2 * 3 + 1


def test_predictions_come_as_their_answers_do() -> None:
    model = Ranking()
    arriving = predictions([row(n, "original") for n in range(3)], Pictures(), "m", model, form="rank-text")
    assert [len(model.asked) for _ in arriving] == [3, 5, 7]


@pytest.mark.parametrize("form", ["words", "open"])
def test_nothing_is_asked_besides_a_question_in_words(form: str) -> None:
    model = Ranking()
    made([row(0, "original")], model, form)
    assert len(model.asked) == 1


def test_only_models_that_have_them_are_asked() -> None:
    for has, number in (((), 1), (("without_prompt",), 2), (BOTH, 3)):
        model = Ranking(has)
        (found,) = made([row(0, "original")], model)
        assert len(model.asked) == number
        known = [{name for name in BOTH if score[name] is not None} for score in found["choice_scores"]]
        assert known == [set(has)] * 4
    (found,) = made([row(0, "original")], load("random", Baseline(adapter="random"), 0))
    assert found["choice_scores"] is None


def test_a_question_without_images_is_not_asked_again_without_them() -> None:
    model = Ranking()
    (found,) = made([row(0, "original", image_ids=[])], model)
    assert len(model.asked) == 2
    assert {score["without_image"] for score in found["choice_scores"]} == {None}


def test_what_is_refused_is_not_known_and_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    model = Ranking(refuses=frozenset({""}))
    found = made([row(n, "original") for n in range(3)], model)
    assert {each["status"] for each in found} == {"ok"}
    scores = [score for each in found for score in each["choice_scores"]]
    assert {score["without_prompt"] for score in scores} == {None} and None not in {s["without_image"] for s in scores}
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "whatif: m: cannot rank options after nothing (1 times, most often: refused: ''), so rule "
        "`minus-without-prompt` cannot be applied there"
    ]


@pytest.mark.parametrize("number", [2, 4])
def test_a_model_that_loses_or_adds_answers_is_found_out(number: int) -> None:
    @dataclass
    class Miscounting(Ranking):
        def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
            answers = [*super().answer(questions), Answer(option_scores=(OptionScore(-1.0, 1),))]
            return iter(answers[:number])

    with pytest.raises(ValueError, match="zip"):
        made([row(0, "original")], Miscounting())


def test_stored_answers_to_the_question_stay_in_use(tmp_path: Path) -> None:
    questions = [row(n, "original") for n in range(3)]
    before, after = Ranking(()), Ranking()
    with ResponseStore(tmp_path / "responses.sqlite") as store:
        old = made(questions, StoredModel(before, before.identity, store))
        stored = TransientErrors(StoredModel(after, after.identity, store))
        new = made(questions, stored)
        assert [question.options for question in after.asked if question.image_ids] == []
        # The three questions have the same words, so that they are one request without their images.
        assert len(after.asked) == 1 + 1
        assert [each["request_key"] for each in new] == [each["request_key"] for each in old]
        again = Ranking()
        assert made(questions, StoredModel(again, again.identity, store)) == new
        assert again.asked == []


# Real checkpoints


def pictures_of(folder: Path, adapter: str) -> LocalModel:
    kind: Any = {"hf-chat": HuggingFaceChat, "hf-blip": HuggingFaceBlip, "blind": BlindTextModel}[adapter]
    return cast("LocalModel", load(adapter, kind(adapter=adapter, checkpoint=str(folder)), 0))


class Noise(Pictures):
    """An image of noise for every id."""

    def get(self, image_id: str) -> Any:
        return picture(int(image_id[-1]))


ONE_OF_EACH = ("llava", "qwen2_vl", "instructblip-opt")


@pytest.mark.parametrize(
    "family",
    [
        pytest.param(family, marks=() if family in ONE_OF_EACH else pytest.mark.soak)
        for family in (*CHAT, "blip2-opt", "instructblip-opt")
    ],
)
def test_unconditional_scores_equal_whole_passes(family: str, tmp_path: Path) -> None:
    """Also with the store in between, and for questions with the same options."""
    pytest.importorskip("torch")
    folder = {**CHAT, **BLIP}[family](tmp_path / "checkpoint")
    model = pictures_of(folder, "hf-blip" if "blip" in family else "hf-chat")
    options = ["16 dots", "7", "zebra", "7 flowers inside the picture"]
    questions = [row(0, "original", choices=options), row(1, "original", choices=options[::-1], question="How many?")]
    with ResponseStore(tmp_path / "responses.sqlite") as store:
        stored = StoredModel(model, model.identity, store)
        found = list(predictions(questions, Noise(), "m", stored, form="rank-text"))
        assert (stored.hits, stored.misses) == (0, 2 + 2 + 1)
    asked: Any = model.checkpoint.score.args[0]  # type: ignore[attr-defined]
    alone = asked.language_model if "blip" in family else asked
    for question, each in zip(questions, found, strict=True):
        tokens = [model.checkpoint.option_tokens(option) for option in question["choices"]]
        assert [score["tokens"] for score in each["choice_scores"]] == [len(of) for of in tokens]
        for name, words in (("without_image", question["question"]), ("without_prompt", "")):
            prompt = model.prompt(Question("q", "g", "original", one_turn(words)))
            whole = whole_pass_scores(alone, model.checkpoint.encode([prompt]), tokens)
            expected = [score.log_likelihood for score in whole]
            assert [score[name] for score in each["choice_scores"]] == pytest.approx(expected, abs=1e-4)
            given = [score["log_likelihood"] for score in each["choice_scores"]]
            assert max(abs(a - b) for a, b in zip(given, expected, strict=True) if b is not None) > 0.05
    gc.collect()


def test_a_model_that_never_looks_has_no_scores_without_the_image(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    model = pictures_of(tiny_text_model(tmp_path), "blind")
    (found,) = made([row(0, "original")], model)
    for score in found["choice_scores"]:
        assert score["without_image"] is None and score["without_prompt"] < 0
