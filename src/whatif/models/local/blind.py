"""The blind baseline: a language model that reads the question without the image.

Its correct answers can be derived from the text alone (C-VQA 4.1 asks language models about captions in the same way).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.language.prompts import wrapper
from whatif.engine.language.prompts.form import PLACE
from whatif.engine.params.checkpoints import BlindTextModel
from whatif.models import Model
from whatif.models.local.answer_place import AnswerPlace, answer_place
from whatif.models.local.answerer import LocalModel, Prompt
from whatif.models.local.checkpoints import identity, load_text_model
from whatif.models.local.conversations import Template, check_system_message, only_question, text_turns
from whatif.models.local.language_models import encoded_chats, text_checkpoint

VERSION = 2  # increase it when a change alters answers


def blind(settings: BlindTextModel, seed: int) -> Model:
    """Ranks options and answers open questions from the text of the question, as `hf-chat` does with images.

    A checkpoint with a chat template is prompted by it, any other by the setting `prompt` with the question inserted.
    Images are not loaded. `seed` has no effect: `decoding` has its own.

    Raises WhatifError when the checkpoint cannot be loaded (see `load_text_model`), and when a system message is set
    that its prompt has no place for.
    """
    model, tokenizer = load_text_model(settings)
    chats = tokenizer.chat_template is not None
    around = wrapper(settings.prompt)
    # Templates of language models expect a turn's text as a string, not in parts.
    template = Template(tokenizer, text_turns, settings.system)
    if chats:
        check_system_message(settings.checkpoint, template)
    elif settings.system is not None:
        raise WhatifError(
            f"checkpoint {settings.checkpoint}: has no chat template and so no place for `system`; "
            "put the text into `prompt`"
        )
    place = answer_place(settings.checkpoint, tokenizer, str) if chats else AnswerPlace(around.partition(PLACE)[2], " ")
    encode = partial(_encode_chat, template) if chats else partial(_encode, tokenizer, around)
    checkpoint, batches = text_checkpoint(settings, model, tokenizer, encode, place, looks=False)
    return LocalModel(checkpoint, partial(identity, settings, VERSION, model.config), batches)


def _encode_chat(template: Template, prompts: Sequence[Prompt]) -> Mapping[str, Any]:
    return encoded_chats(template, [prompt.messages for prompt in prompts])


def _encode(tokenizer: Any, words: str, prompts: Sequence[Prompt]) -> Mapping[str, Any]:
    asked = [only_question(prompt.messages, "this language model") for prompt in prompts]
    texts = [words.replace(PLACE, text) for text in asked]
    encoded: Mapping[str, Any] = tokenizer(texts, padding=True, return_tensors="pt", return_token_type_ids=False)
    return encoded
