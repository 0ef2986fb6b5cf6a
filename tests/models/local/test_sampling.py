"""Sampling by noise: the right distribution, whatever the batch; and beam search."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from tests.models.families import FAMILIES, llava_ending, mixed_questions, picture, question, questions_sharing_images
from tests.models.local.test_generation import loaded
from whatif.engine.language.messages import one_turn
from whatif.models import Answer, Question
from whatif.models.local.sampling import Noise, nucleus, sampling_stream

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")

_LOGITS = torch.tensor([[2.0, 1.0, 0.5, 0.5, -1.0, -3.0]])


def streams(number: int) -> list[np.random.Generator]:
    return [sampling_stream(seed, one_turn("How many?"), 0) for seed in range(number)]


def first_tokens(number: int, temperature: float, top_p: float | None = None) -> list[int]:
    """The first token by each of many seeds, from the same logits."""
    noise = Noise(temperature, top_p, streams(number))
    found: list[int] = noise(None, _LOGITS.expand(number, -1)).argmax(dim=-1).tolist()
    return found


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_first_tokens_of_many_seeds_have_the_probabilities_of_the_softmax(temperature: float) -> None:
    number = 4000
    counts = np.bincount(first_tokens(number, temperature), minlength=6)
    expected = (_LOGITS[0] / temperature).double().softmax(dim=-1).numpy() * number
    usual = expected >= 5  # the approximation by chi-square needs as many; the others are counted together
    seen = [*counts[usual], counts[~usual].sum()] if (~usual).any() else counts
    wanted = [*expected[usual], expected[~usual].sum()] if (~usual).any() else expected
    assert chisquare(seen, wanted).pvalue > 0.01
    # The same counts are impossible with another temperature, so the test can fail.
    other = (_LOGITS[0] / (temperature * 1.3)).double().softmax(dim=-1).numpy() * number
    assert chisquare(counts, other).pvalue < 1e-6


def test_later_tokens_are_independent_of_the_first() -> None:
    noise = Noise(1.0, None, streams(4000))
    first, second = (noise(None, _LOGITS.expand(4000, -1)).argmax(dim=-1).numpy() for _ in range(2))
    probabilities = _LOGITS[0].double().softmax(dim=-1).numpy()
    pairs = np.histogram2d(first, second, bins=[range(7), range(7)])[0][:4, :4]
    expected = np.outer(probabilities, probabilities)[:4, :4] * 4000
    rest = 4000 - expected.sum()
    assert chisquare([*pairs.ravel(), 4000 - pairs.sum()], [*expected.ravel(), rest]).pvalue > 0.01


@pytest.mark.parametrize(
    ("top_p", "kept"), [(0.01, {0}), (0.6, {0, 1}), (0.9, {0, 1, 2, 3}), (1.0, {0, 1, 2, 3, 4, 5})]
)
def test_no_token_outside_the_nucleus_is_drawn(top_p: float, kept: set[int]) -> None:
    found = first_tokens(4000, 1.0, top_p)
    assert set(found) == kept
    probabilities = _LOGITS[0].double().softmax(dim=-1).numpy()[sorted(kept)]
    if len(kept) > 1:
        counts = np.bincount(found, minlength=6)[sorted(kept)]
        assert chisquare(counts, probabilities / probabilities.sum() * 4000).pvalue > 0.01


def test_of_equally_probable_tokens_at_the_edge_the_first_is_kept() -> None:
    # 0.54 + 0.20 is below 0.8, and one of the two tokens of 0.12 is needed.
    inside = nucleus(_LOGITS, 0.8).isfinite()[0].tolist()
    assert inside == [True, True, True, False, False, False]


def test_noise_is_finite_for_the_smallest_draw() -> None:
    class Zero:
        def standard_exponential(self, size: int) -> np.ndarray[Any, Any]:
            return np.zeros(size)

    zero: Any = Zero()
    assert Noise(1.0, None, [zero])(None, _LOGITS).isfinite().all()


def test_a_stream_depends_on_seed_conversation_and_sample_and_nothing_else() -> None:
    def drawn(seed: int, prompt: str, images: Sequence[str] = (), sample: int = 0) -> float:
        return float(sampling_stream(seed, one_turn(prompt, images), sample).random())

    assert drawn(0, "How many?", ["a"]) == drawn(0, "How many?", ["a"])
    others = [drawn(1, "How many?", ["a"]), drawn(0, "How?", ["a"]), drawn(0, "How many?", ["b"])]
    assert len({drawn(0, "How many?", ["a"]), drawn(0, "How many?", ["a"], 1), *others}) == 5


def responses(answers: Sequence[Answer]) -> list[str | None]:
    assert {answer.status for answer in answers} == {"ok"}
    return [answer.response for answer in answers]


def asked(
    questions: Sequence[Question],
    batch_size: int = 4,
    family: str = "llava",
    folder: Path | None = None,
    **decoding: Any,
) -> list[Answer]:
    return list(loaded(family, folder, batch_size=batch_size, decoding=decoding).answer(questions))


def test_the_same_seed_gives_the_same_answers_and_another_seed_others() -> None:
    questions = questions_sharing_images()
    one, again, other, hot = (
        responses(asked(questions, temperature=temperature, seed=seed))
        for temperature, seed in ((1.0, 0), (1.0, 0), (1.0, 1), (3.0, 0))
    )
    assert one == again
    assert sum(a != b for a, b in zip(one, other, strict=True)) > 5
    assert one != hot


def test_samples_of_one_question_differ() -> None:
    from dataclasses import replace

    base = question([picture(0)])
    found = responses(asked([replace(base, sample=n) for n in range(8)], temperature=2.0))
    assert len(set(found)) > 4
    assert found[:2] == responses(asked([base, replace(base, sample=1)], 1, temperature=2.0))


def test_towards_a_temperature_of_zero_it_is_greedy() -> None:
    questions = questions_sharing_images()
    greedy = responses(asked(questions))
    assert responses(asked(questions, temperature=1e-4)) == greedy
    assert responses(asked(questions, temperature=0)) == greedy
    assert responses(asked(questions, temperature=5.0, top_p=1e-6)) == greedy


SAMPLES: dict[str, Any] = {"temperature": 1.5, "top_p": 0.9, "seed": 7}
BEAMS = {"beams": 5}
# Every second family in one of the two decodings; all of them in both belong to the soak.
DECODINGS = [
    pytest.param(family, decoding, marks=[] if (place + 2 * turn) % 4 == 0 else pytest.mark.soak, id=f"{family}-{name}")
    for place, family in enumerate(FAMILIES)
    for turn, (name, decoding) in enumerate({"sampled": SAMPLES, "beams": BEAMS}.items())
]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "decoding"), DECODINGS)
def test_neither_batch_size_nor_order_changes_an_answer(family: str, decoding: dict[str, Any]) -> None:
    questions = [*questions_sharing_images(), *mixed_questions([1])]
    one = asked(questions, 1, family, **decoding)
    assert {answer.status for answer in one} == {"ok"}
    assert len({answer.response for answer in one}) > 5
    assert asked(questions, 16, family, **decoding) == one
    order = random.Random(1).sample(range(len(questions)), len(questions))
    shuffled = asked([questions[place] for place in order], 4, family, **decoding)
    assert shuffled == [one[place] for place in order]


@pytest.mark.parametrize(
    "decoding", [{"temperature": 1.5, "seed": 7}, {"beams": 5}, {"beams": 3, "length_penalty": -1}]
)
def test_nor_if_responses_end_at_different_lengths(tmp_path: Path, decoding: dict[str, Any]) -> None:
    folder = llava_ending(tmp_path, range(10, 60))
    questions = [*questions_sharing_images(), *mixed_questions([1])]
    one = asked(questions, 1, folder=folder, **decoding)
    assert len({answer.response_tokens for answer in one}) > 1
    assert {answer.finish for answer in one} >= {"stop"}
    assert asked(questions, 4, folder=folder, **decoding) == one
    assert asked(questions, 16, folder=folder, **decoding) == one


def test_beams_find_a_more_probable_response() -> None:
    questions = questions_sharing_images()
    models = [loaded("llava", batch_size=16), loaded("llava", batch_size=16, decoding={"beams": 8})]

    def likelihood(asked_question: Question, tokens: list[int]) -> float:
        checkpoint = models[0].checkpoint
        inputs = checkpoint.encode([models[0].prompt(asked_question)])
        return float(checkpoint.score(inputs, [tokens])[0].log_likelihood or 0)

    gains = []
    for one in questions:
        greedy, beams = (
            model.checkpoint.generate(model.checkpoint.encode([model.prompt(one)]), 6)[0] for model in models
        )
        gains.append(likelihood(one, beams) - likelihood(one, greedy))
    assert min(gains) > -1e-4 and max(gains) > 0.1


def test_images_are_shared_when_sampling_and_not_with_beams() -> None:
    assert loaded("llava", decoding={"temperature": 1.0}).checkpoint.generate_together is not None
    assert loaded("llava", decoding={"beams": 5}).checkpoint.generate_together is None
