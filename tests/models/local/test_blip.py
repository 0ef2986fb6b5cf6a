"""BLIP-2 and InstructBLIP, with a decoder-only and with an encoder-decoder language model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.models.families import (
    BLIP,
    OPTIONS,
    checkpoint,
    loaded,
    network,
    picture,
    processor_of,
    prompt,
    question,
    sums,
)
from tests.tiny_checkpoints import tiny_blip2
from whatif.engine.errors import WhatifError
from whatif.models.local.answerer import LocalModel, Prompt
from whatif.models.local.option_scores import whole_pass_scores

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module", params=BLIP)
def model(request: pytest.FixtureRequest) -> LocalModel:
    return loaded(request.param)


def whole_passes(model: LocalModel, image: Image.Image) -> list[float]:
    """Sums of log-likelihoods of the options, from one forward pass per option through the whole model."""
    asked = network(model)
    inputs = model.checkpoint.encode([prompt([image], "How many dots are there?")])
    options = [model.checkpoint.option_tokens(option) for option in OPTIONS]
    if not asked.language_model.config.is_encoder_decoder:
        return sums(whole_pass_scores(asked, inputs, options))
    made = []
    for tokens in options:
        with torch.no_grad():
            # The library shifts labels to the right for the decoder, and returns their mean loss.
            loss = asked(**inputs, labels=torch.tensor([tokens])).loss
        made.append(-float(loss) * len(tokens))
    return made


def test_scores_equal_whole_passes(model: LocalModel) -> None:
    for seed in (0, 1):
        (answer,) = model.answer([question([picture(seed)], options=OPTIONS)])
        assert sums(answer.option_scores) == pytest.approx(whole_passes(model, picture(seed)), abs=1e-4)


def test_another_picture_or_question_changes_the_scores(model: LocalModel) -> None:
    asked = [([picture(0)], "How many dots?"), ([picture(1)], "How many dots?"), ([picture(0)], "What colour?")]
    first, second, third = (sums(a.option_scores) for a in model.answer([question(i, w, OPTIONS) for i, w in asked]))
    assert np.abs(np.subtract(first, second)).max() > 0.05
    assert np.abs(np.subtract(first, third)).max() > 0.05


def test_one_picture_a_question(model: LocalModel) -> None:
    images = [[], [picture(0)], [picture(0), picture(1)]]
    for options in ((), OPTIONS):
        none, one, two = model.answer([question(image, options=options) for image in images])
        assert (none.status, one.status, two.status) == ("ok" if options else "error", "ok", "ok")
        assert none.reason == (None if options else "the question has no image; this model takes one")
        assert (none.image_form, one.image_form, two.image_form) == (None, "in place", "composite")


def test_without_an_image_the_language_model_alone_ranks(model: LocalModel) -> None:
    asked = network(model)
    tokenizer = processor_of(model).tokenizer
    language = asked.language_model
    options = [model.checkpoint.option_tokens(option) for option in OPTIONS]
    for words in ("How many dots are there?", ""):
        inputs = dict(tokenizer(f"Question: {words} Answer:", return_tensors="pt", return_token_type_ids=False))
        if language.config.is_encoder_decoder:
            with torch.no_grad():
                losses = [float(language(**inputs, labels=torch.tensor([tokens])).loss) for tokens in options]
            whole = [-loss * len(tokens) for loss, tokens in zip(losses, options, strict=True)]
        else:
            whole = sums(whole_pass_scores(language, inputs, options))
        (answer,) = model.answer([question([], words, OPTIONS)])
        assert sums(answer.option_scores) == pytest.approx(whole, abs=1e-4)
        (seen,) = model.answer([question([picture(0)], words, OPTIONS)])
        assert np.abs(np.subtract(sums(seen.option_scores), whole)).max() > 0.05


def test_the_prompt_is_a_setting() -> None:
    asked = question([picture(0)], "How many {dots}?", OPTIONS)
    tokenizer = processor_of(loaded("blip2-opt")).tokenizer
    short = "Question: {question} Short answer:"
    settings = {"Question: {question} Answer:": None, "{question}": None, short: "instructblip"}
    for words, form in settings.items():
        model = loaded("blip2-opt", prompt=form or words)
        inputs = model.checkpoint.encode([Prompt(asked.messages, asked.images())])
        assert tokenizer.decode(inputs["input_ids"][0]) == "<image>" * 3 + "<s>" + words.replace(
            "{question}", "How many {dots}?"
        )
        assert model.identity["prompt"] == words
    assert tokenizer.decode(model.checkpoint.option_tokens("16")) == " 16"


def test_a_processor_saved_without_its_number_of_queries_gets_it_from_the_model(tmp_path: Path) -> None:
    folder = tiny_blip2(tmp_path, "t5")
    expected = next(loaded("blip2-t5", folder).answer([question([picture(0)], options=OPTIONS)]))
    path = folder / "processor_config.json"
    assert '"num_query_tokens": 3' in path.read_text()
    path.write_text(path.read_text().replace('"num_query_tokens": 3', '"num_query_tokens": null'))
    assert next(loaded("blip2-t5", folder).answer([question([picture(0)], options=OPTIONS)])) == expected


def test_other_checkpoints_are_refused() -> None:
    with pytest.raises(WhatifError, match=r"is a 'llava'; the adapter hf-blip takes blip-2 and instructblip"):
        loaded("blip2-opt", checkpoint("llava"))
