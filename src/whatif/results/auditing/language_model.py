"""A small language model, fine-tuned without an item's cluster: the strongest reader of the text alone.

The checkpoint is an encoder or decoder that `AutoModelForSequenceClassification` loads, from a folder or from the hub,
as safetensors. It gets a new head. For choices the head has one value: it scores each option after its question, and
the options of an item compete in a softmax. Otherwise it has one value for each frequent answer. This needs torch
and transformers (`whatif[models]`), and minutes where the other models need seconds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from whatif.engine.errors import WhatifError
from whatif.results.auditing.audit import LANGUAGE, Model
from whatif.results.auditing.forest import frequent_answers
from whatif.results.auditing.guesses import Folds, Guesses
from whatif.results.auditing.items import CHOICE, Item

_EPOCHS = 3
_ITEMS_AT_ONCE = 8
_RATE = 5e-5
_WARM = 0.1  # the share of the steps in which the rate rises; it then falls to 0
_LONGEST = 128  # tokens of a question with a candidate

Candidates = Sequence[str]


def language_model(checkpoint: str) -> Model:
    """A model of the audit that fine-tunes this checkpoint in each fold.

    The checkpoint is loaded once to see that it can be. Raises WhatifError when the libraries are not installed, when
    the checkpoint cannot be loaded, and when it is no language model.
    """
    _loaded(checkpoint, 1)

    def guess(items: Sequence[Item], folds: Folds) -> Guesses:
        right, probability = np.zeros(len(items), bool), np.zeros(len(items))
        for number, (train, test) in enumerate(folds.splits()):
            answers = frequent_answers([items[place].answer for place in train])
            asked = [(items[place], _candidates(items[place], answers)) for place in train]
            learned = [one for one in asked if _right(*one) >= 0]
            model, tokenizer = _loaded(checkpoint, 1 if items[0].kind == CHOICE else len(answers))
            _fine_tune(model, tokenizer, learned, (folds.random_state + number) % 2**31)
            for place, options, chances in _scored(model, tokenizer, items, test, answers):
                known = _right(items[place], options)
                right[place] = int(np.argmax(chances)) == known
                probability[place] = chances[known] if known >= 0 else 0.0
        return Guesses(LANGUAGE, "", np.ones(len(items), bool), right, probability)

    return guess


def _candidates(item: Item, answers: Sequence[str]) -> Candidates:
    """The options, or the most frequent answers of the other folds."""
    return item.options if item.kind == CHOICE else answers


def _right(item: Item, options: Candidates) -> int:
    """The place of the right answer, -1 if it is not among the candidates."""
    if item.kind == CHOICE:
        return item.right
    return options.index(item.answer) if item.answer in options else -1


def _loaded(checkpoint: str, labels: int) -> tuple[Any, Any]:
    """The checkpoint with a new head of so many values, and its tokeniser."""
    from whatif.engine.params.checkpoints import LocalCheckpoint
    from whatif.models.local.checkpoints import load_error, source_of
    from whatif.models.local.libraries import TRANSFORMERS, import_libraries
    from whatif.models.local.processors import load_tokenizer

    import_libraries(TRANSFORMERS)
    import torch
    import transformers

    source, folder = source_of(LocalCheckpoint(checkpoint=checkpoint))
    options: dict[str, Any] = {"local_files_only": folder is not None}
    torch.manual_seed(0)  # of the new head
    torch.set_num_threads(1)  # sums differ for another number of threads
    logging: Any = transformers.utils.logging
    shown = logging.get_verbosity()
    logging.set_verbosity_error()  # the library would warn of the new head, which is intended
    try:
        configurations: Any = transformers.AutoConfig
        configuration = configurations.from_pretrained(source, trust_remote_code=False, **options)
        tokenizer = load_tokenizer(source, configuration.model_type, options)
        model = transformers.AutoModelForSequenceClassification.from_pretrained(
            source, num_labels=labels, trust_remote_code=False, use_safetensors=True, dtype="float32", **options
        )
    except WhatifError:
        raise
    except Exception as error:  # the libraries raise many types of errors, all about this checkpoint
        raise load_error(source, error) from error
    finally:
        logging.set_verbosity(shown)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.config.pad_token_id = tokenizer.pad_token_id
    return model, tokenizer


def _values(model: Any, tokenizer: Any, batch: Sequence[tuple[Item, Candidates]]) -> list[Any]:
    """The values of the candidates of each item, as tensors."""
    choice = batch[0][0].kind == CHOICE
    questions = [item.question for item, options in batch for _ in (options if choice else (0,))]
    answers = [option for _, options in batch for option in options] if choice else []
    texts = [some for some in (questions, answers) if any(some)] or [questions]
    read = tokenizer(*texts, padding=True, truncation=True, max_length=_limit(model), return_tensors="pt")
    read.pop("token_type_ids", None)
    values = model(**read).logits.float()
    return list(values[:, 0].split([len(options) for _, options in batch]) if choice else values)


def _limit(model: Any) -> int:
    positions = getattr(model.config, "max_position_embeddings", None)
    return min(_LONGEST, positions - 2) if isinstance(positions, int) and positions > 2 else _LONGEST


def _fine_tune(model: Any, tokenizer: Any, learned: Sequence[tuple[Item, Candidates]], seed: int) -> None:
    """Trains all weights: AdamW with a rate that rises and falls, items in random order, the same for the same seed."""
    import torch

    torch.manual_seed(seed)
    order = random.Random(seed)
    steps = _EPOCHS * -(-len(learned) // _ITEMS_AT_ONCE)
    optimiser = torch.optim.AdamW(model.parameters(), lr=_RATE, weight_decay=0.01)
    warm = max(1, round(_WARM * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )
    model.train()
    for _ in range(_EPOCHS):
        places = order.sample(range(len(learned)), len(learned))
        for start in range(0, len(places), _ITEMS_AT_ONCE):
            batch = [learned[place] for place in places[start : start + _ITEMS_AT_ONCE]]
            losses = [
                torch.nn.functional.cross_entropy(values[None], torch.tensor([_right(*one)]))
                for one, values in zip(batch, _values(model, tokenizer, batch), strict=True)
            ]
            optimiser.zero_grad()
            loss: Any = torch.stack(losses).mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
    model.eval()


def _scored(
    model: Any, tokenizer: Any, items: Sequence[Item], test: Sequence[int] | Any, answers: Sequence[str]
) -> Iterator[tuple[int, Candidates, Any]]:
    """Each tested place with its candidates and their probabilities."""
    import torch

    with torch.inference_mode():
        for start in range(0, len(test), 4 * _ITEMS_AT_ONCE):
            places = [int(place) for place in test[start : start + 4 * _ITEMS_AT_ONCE]]
            batch = [(items[place], _candidates(items[place], answers)) for place in places]
            for place, (_, options), values in zip(places, batch, _values(model, tokenizer, batch), strict=True):
                yield place, options, values.softmax(0).numpy()
