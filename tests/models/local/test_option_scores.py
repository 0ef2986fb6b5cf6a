"""Options ranked after a shared prefix equal one whole forward pass per option, in every family."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.models.families import CHAT, OPTIONS, loaded, network, picture, prompt, question, quick, sums
from whatif.models.local.answerer import LocalModel
from whatif.models.local.option_scores import SHARED_PREFIX, option_scores, shared_prefix_scores, whole_pass_scores

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module", params=quick("llava", "qwen2_5_vl", "mllama", "gemma3"))
def model(request: pytest.FixtureRequest) -> LocalModel:
    return loaded(request.param)


def both(
    model: LocalModel, images: list[Image.Image], words: str = "How many dots?"
) -> tuple[list[float], list[float]]:
    """Sums of log-likelihoods, from whole passes and after a shared prefix."""
    inputs = model.checkpoint.encode([prompt(images, words)])
    options = [model.checkpoint.option_tokens(option) for option in OPTIONS]
    asked = network(model)
    return sums(whole_pass_scores(asked, inputs, options)), sums(shared_prefix_scores(asked, inputs, options))


@pytest.mark.parametrize("family", CHAT)
def test_a_shared_prefix_equals_whole_passes(family: str) -> None:
    model = loaded(family)
    for images in ([picture(0)], [picture(1, 28, 56)], [picture(2, 56, 28), picture(3)], []):
        whole, shared = both(model, images)
        assert shared == pytest.approx(whole, abs=1e-4), f"{len(images)} pictures"


def test_another_picture_changes_the_scores(model: LocalModel) -> None:
    first, second = (both(model, [picture(seed)])[1] for seed in (0, 1))
    assert np.abs(np.subtract(first, second)).max() > 0.05


def test_the_second_of_two_pictures_counts_and_so_does_their_order(model: LocalModel) -> None:
    seen = [both(model, [picture(a), picture(b)])[1] for a, b in ((0, 1), (0, 2), (1, 0))]
    assert np.abs(np.subtract(seen[0], seen[1])).max() > 0.05
    # Smaller than above: in Mllama the order matters only if text stands between the images.
    assert np.abs(np.subtract(seen[0], seen[2])).max() > 0.005


def test_a_question_does_not_depend_on_the_one_before(model: LocalModel) -> None:
    blank, pictured = question([], options=OPTIONS), question([picture(0)], options=OPTIONS)
    first, _, after = model.answer([blank, pictured, blank])
    assert after == first
    _, again = model.answer([blank, pictured])
    (alone,) = model.answer([pictured])
    assert again == alone


def test_an_option_has_the_same_score_whatever_stands_beside_it(model: LocalModel) -> None:
    together = sums(next(model.answer([question([picture(0)], options=OPTIONS)])).option_scores)
    alone = [sums(next(model.answer([question([picture(0)], options=[o])])).option_scores)[0] for o in OPTIONS]
    assert together == pytest.approx(alone, abs=1e-4)


def test_tokens_are_counted_beside_the_sum(model: LocalModel) -> None:
    (answer,) = model.answer([question([picture(0)], options=OPTIONS)])
    assert answer.option_scores is not None
    counts = [len(model.checkpoint.option_tokens(option)) for option in OPTIONS]
    assert [score.tokens for score in answer.option_scores] == counts
    assert answer.response_tokens == sum(counts)
    assert [score.mean * score.tokens for score in answer.option_scores] == pytest.approx(sums(answer.option_scores))


def test_every_family_with_a_shared_prefix_is_tested() -> None:
    assert set(CHAT) == SHARED_PREFIX


@pytest.mark.parametrize("family", ["qwen2_vl", "qwen2_5_vl", "qwen3_vl"])
def test_positions_of_pictures_are_put_to_the_test(family: str) -> None:
    """The image of 2 x 2 tokens takes 2 positions: ignoring that would shift every option."""
    model = loaded(family)
    both(model, [picture(0)])
    assert network(model).model.rope_deltas.item() == -2


def test_attention_in_both_directions_and_the_window_are_put_to_the_test() -> None:
    """The scores of a Gemma 3 depend on both, so a shared prefix that ignored one would not equal whole passes."""
    model = loaded("gemma3")
    asked = network(model)
    inputs = dict(model.checkpoint.encode([prompt([picture(0)])]))
    text = asked.config.text_config
    assert inputs["input_ids"].shape[1] > 2 * text.sliding_window
    scores = sums(shared_prefix_scores(asked, inputs, [[5, 6, 7]]))
    one_way = {**inputs, "token_type_ids": torch.zeros_like(inputs["token_type_ids"])}
    assert sums(shared_prefix_scores(asked, one_way, [[5, 6, 7]])) != pytest.approx(scores, abs=0.01)
    text.sliding_window = 100
    for layer in asked.model.language_model.layers:
        layer.self_attn.sliding_window = None
    assert sums(shared_prefix_scores(asked, inputs, [[5, 6, 7]])) != pytest.approx(scores, abs=0.01)


def test_features_of_early_layers_are_put_to_the_test() -> None:
    """A Qwen3-VL adds features of early vision layers to the first text layers."""
    model = loaded("qwen3_vl")
    scores = both(model, [picture(0)])[1]
    asked = network(model)
    for merger in asked.model.visual.deepstack_merger_list:
        for weight in merger.parameters():
            weight.data.zero_()
    assert both(model, [picture(0)])[1] != pytest.approx(scores, abs=0.01)


def test_other_families_take_whole_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    model = loaded("llava")
    inputs = model.checkpoint.encode([prompt([picture(0)], "How many?")])
    options = [[5, 6], [7]]
    passes = []
    asked = network(model)
    asked.register_forward_pre_hook(lambda *_: passes.append(1))
    shared = option_scores(asked, inputs, options)
    assert len(passes) == 2  # the prompt, then both options
    monkeypatch.setattr("whatif.models.local.option_scores.SHARED_PREFIX", frozenset())
    passes.clear()
    whole = option_scores(asked, inputs, [*options, [8]])
    assert len(passes) == 3  # one per option
    assert sums(whole)[:2] == pytest.approx(sums(shared), abs=1e-4)


def test_a_family_that_sees_and_is_not_listed_takes_whole_passes() -> None:
    """Some families have no `vision_config` to be recognised by."""
    import transformers

    configuration = transformers.FuyuConfig(
        vocab_size=50,
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
    )
    assert not hasattr(configuration, "vision_config")
    asked: Any = transformers.FuyuForCausalLM(configuration).eval()
    passes: list[int] = []
    asked.register_forward_pre_hook(lambda *_: passes.append(1))
    ids = torch.arange(10, 20)[None]
    option_scores(asked, {"input_ids": ids, "attention_mask": torch.ones_like(ids)}, [[5, 6], [7], [8]])
    assert len(passes) == 3
