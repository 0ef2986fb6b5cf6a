"""The output layer of a language model in pieces: the digits of the whole layer, and nothing of it is left behind."""

from __future__ import annotations

from typing import Any

import pytest

from whatif.models.language import checkpoints
from whatif.models.language.checkpoints import log_sums, logits_at

torch = pytest.importorskip("torch")

VOCABULARY = 2500  # two whole pieces and a part of one


def model(bias: bool) -> Any:
    """A GPT-2 or, for an output layer with a bias, a RoBERTa."""
    import transformers

    torch.manual_seed(3)
    if bias:
        config: Any = transformers.RobertaConfig(
            vocab_size=VOCABULARY,
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=40,
        )
        return transformers.RobertaForMaskedLM(config).eval()
    config = transformers.GPT2Config(vocab_size=VOCABULARY, n_embd=32, n_layer=1, n_head=2, n_positions=32)
    return transformers.GPT2LMHeadModel(config).eval()


def inputs() -> tuple[dict[str, Any], Any]:
    generator = torch.Generator().manual_seed(4)
    ids = torch.randint(5, VOCABULARY, (3, 20), generator=generator)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}, torch.rand((3, 20), generator=generator) < 0.6


@pytest.mark.parametrize("bias", [False, True])
def test_logits_in_pieces_are_those_of_the_whole_layer(bias: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made, (given, chosen) = model(bias), inputs()
    head = made.get_output_embeddings()
    assert (head.bias is not None) == bias
    calls: list[int] = []
    whole = torch.nn.functional.linear
    monkeypatch.setattr(
        torch.nn.functional,
        "linear",
        lambda *of: calls.append(of[1].shape[0]) or whole(*of),  # rows of the weights
    )
    with torch.inference_mode():
        pieces = logits_at(made, given, chosen)
        assert VOCABULARY not in calls, "the layer was computed at once"
        monkeypatch.setattr(checkpoints, "_WORDS_AT_ONCE", VOCABULARY)
        at_once = logits_at(made, given, chosen)
        alone = made(**given).logits[chosen]
    assert VOCABULARY in calls, "outside the block, the layer is as it was"
    assert torch.equal(pieces, at_once) and "forward" not in vars(head)
    torch.testing.assert_close(pieces, alone)


def test_a_layer_of_another_kind_or_type_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    made, (given, chosen) = model(False), inputs()
    head = made.get_output_embeddings()
    asked: list[tuple[int, ...]] = []

    def own(hidden: Any) -> Any:
        asked.append(tuple(hidden.shape))
        return torch.nn.Linear.forward(head, hidden)

    head.forward = own  # as a library that distributes a model does
    with torch.inference_mode():
        found = logits_at(made, given, chosen)
    assert asked == [(1, int(chosen.sum()), 32)] and head.forward is own and len(found) == int(chosen.sum())
    del head.forward
    half = made.to(torch.bfloat16)
    with torch.inference_mode():
        assert torch.equal(logits_at(half, given, chosen), half.lm_head(_hidden(half, given, chosen)).float())


def _hidden(made: Any, given: dict[str, Any], chosen: Any) -> Any:
    return made.transformer(**given).last_hidden_state[chosen].unsqueeze(0)[0]


def test_sums_of_a_few_rows_at_a_time_are_those_of_all() -> None:
    logits = torch.randn((21, VOCABULARY), generator=torch.Generator().manual_seed(5)) * 9
    assert torch.equal(log_sums(logits), logits.logsumexp(-1))
    assert log_sums(logits[:0]).shape == (0,)
