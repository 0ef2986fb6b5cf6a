"""The blind baseline: the question without its image."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.models import families
from tests.models.families import OPTIONS, checkpoint, network, processor_of, prompt, question, sums
from tests.tiny_checkpoints import tiny_text_model
from tests.tiny_checkpoints.tokenizer import special_ids, tiny_llama, tiny_tokenizer, widen
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.models import Question
from whatif.models.local.option_scores import keeps_keys_and_values, whole_pass_scores

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")


loaded = partial(families.loaded, "blind", max_new_tokens=6)


def test_pictures_are_not_even_fetched() -> None:
    def unseen() -> Any:
        raise AssertionError("the blind baseline looked")

    model = loaded()
    ranked = Question("q", "dots", "original", one_turn("How many?", ["x"]), ("A", "B"), unseen, unseen)
    opened = Question("r", "dots", "original", one_turn("How many?", ["x", "y"]), (), unseen, unseen)
    first, second = model.answer([ranked, opened])
    assert (first.status, second.status) == ("ok", "ok")
    assert second.response


@pytest.mark.parametrize(
    ("chat", "setting", "words", "option"),
    [
        (True, "{question}", "<s>USER: How many dots?\nASSISTANT:", " 16"),
        (False, "Question: {question}\nAnswer:", "Question: How many dots?\nAnswer:", " 16"),
        (False, "{question}", "How many dots?", " 16"),
        (False, "blip-2-opt", "Question: How many dots? Answer:", " 16"),
        (True, "blip-2-opt", "<s>USER: How many dots?\nASSISTANT:", " 16"),
    ],
)
def test_scores_are_those_of_the_words_alone(
    tmp_path: Path, *, chat: bool, setting: str, words: str, option: str
) -> None:
    model = loaded(tiny_text_model(tmp_path, chat=chat), prompt=setting)
    inputs = model.checkpoint.encode([prompt([])])
    tokenizer = processor_of(model)
    assert tokenizer.decode(inputs["input_ids"][0]) == words
    assert tokenizer.decode(model.checkpoint.option_tokens("16")) == option
    options = [model.checkpoint.option_tokens(each) for each in OPTIONS]
    whole = whole_pass_scores(network(model), inputs, options)
    (answer,) = model.answer([question([], "How many dots?", OPTIONS)])
    assert sums(answer.option_scores) == pytest.approx(sums(whole), abs=1e-4)
    (other,) = model.answer([question([], "What colour?", OPTIONS)])
    assert other.option_scores != answer.option_scores


def test_a_question_with_other_options_of_one_token_is_not_read_again() -> None:
    model = loaded()
    options = [("A", "B"), ("C", "A"), ("A", "16 dots")]
    assert [len(model.checkpoint.option_tokens(option)) > 1 for option in ("A", "B", "C", "16 dots")] == [False] * 3 + [
        True
    ]
    questions = [question([], "How many?", each) for each in options]
    alone = [next(model.answer([each])) for each in questions]
    read: list[int] = []
    asked = network(model)
    asked.register_forward_pre_hook(lambda *_: read.append(1))
    assert list(model.answer(questions[:2])) == alone[:2]
    assert len(read) == 1
    assert list(model.answer(questions)) == alone
    assert len(read) == 1 + 1 + 2


def test_a_tokeniser_without_padding_pads_with_its_end(tmp_path: Path) -> None:
    import transformers

    questions = [question([], words) for words in ("How many dots are there?", "What colour?")]
    folder = tiny_text_model(tmp_path)
    expected = list(loaded(folder).answer(questions))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(folder)
    assert list(loaded(folder).answer(questions)) == expected


def other_text_model(folder: Path, kind: str) -> Path:
    """Saves a random language model of another family than Llama into `folder`."""
    import transformers

    tokenizer = tiny_tokenizer()
    sizes = tiny_llama(tokenizer)
    special = special_ids(tokenizer)
    vocabulary = {"vocab_size": len(tokenizer)}
    configurations: dict[str, Callable[[], Any]] = {
        "mistral": lambda: transformers.MistralConfig(**sizes, sliding_window=6),
        "gemma2": lambda: transformers.Gemma2Config(**sizes, head_dim=24, sliding_window=6),
        "gpt2": lambda: transformers.GPT2Config(**vocabulary, n_embd=48, n_layer=2, n_head=2, **special),
        "bloom": lambda: transformers.BloomConfig(**vocabulary, hidden_size=48, n_layer=2, n_head=2, **special),
        "mamba": lambda: transformers.MambaConfig(
            **vocabulary, hidden_size=48, num_hidden_layers=2, state_size=8, **special
        ),
        "recurrent_gemma": lambda: transformers.RecurrentGemmaConfig(
            **{**sizes, "num_hidden_layers": 3}, lru_width=48, attention_window_size=6
        ),
        "lfm2": lambda: transformers.Lfm2Config(**sizes, layer_types=["conv", "full_attention"]),
    }
    model = transformers.AutoModelForCausalLM.from_config(configurations[kind]())
    widen(model, seed=0).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("kind", "shared"),
    [
        ("mistral", True),
        ("gemma2", True),
        ("gpt2", True),
        ("bloom", True),
        ("mamba", False),
        ("recurrent_gemma", False),
        ("lfm2", False),
    ],
)
def test_models_of_other_kinds_rank_and_answer(tmp_path: Path, *, kind: str, shared: bool) -> None:
    """A model with more state than keys and values takes a whole pass per option, and one question at a time."""
    model = loaded(other_text_model(tmp_path, kind), batch_size=4)
    asked = network(model)
    assert keeps_keys_and_values(asked) == shared
    assert model.batches.size == (4 if shared else 1)
    words = "How many dots are there in all the circles together?"
    inputs = model.checkpoint.encode([prompt([], words)])
    options = [model.checkpoint.option_tokens(each) for each in OPTIONS]
    (answer,) = model.answer([question([], words, OPTIONS)])
    whole = sums(whole_pass_scores(asked, inputs, options))
    assert sums(answer.option_scores) == pytest.approx(whole, abs=1e-4)
    opened = [question([], " ".join(words.split()[: 3 + n])) for n in range(5)]
    alone = [next(model.answer([each])) for each in opened]
    assert list(model.answer(opened)) == alone
    assert {each.status for each in alone} == {"ok"}


def test_a_model_that_sees_is_refused() -> None:
    with pytest.raises(WhatifError, match=r"a 'llava' is not a text-only language model"):
        loaded(checkpoint("llava"))


def test_a_folder_needs_no_processor_of_pictures_but_a_tokeniser(tmp_path: Path) -> None:
    folder = tiny_text_model(tmp_path)
    for path in folder.glob("tokenizer*"):
        path.unlink()
    with pytest.raises(WhatifError, match=r"lacks a tokeniser \(tokenizer.json"):
        loaded(folder)
