"""Prompting strategies: the conversation in which a question is asked. Each strategy is a YAML file in this folder.

    system: You look closely.             # optional: a system message
    examples:                             # optional: worked examples that precede the question
      - question: How many cats are there?
        answer: "Two on the sofa, one below. Answer: 3"
        kind: number                      # optional: shown only with questions of this kind
        images: [{file: cats.png, sha256: 2c26b4...}]  # files in the folder `images` beside this file
    shots: 1                              # optional: examples of the benchmark's own that precede each question
    turns:
      - user: "Describe the image."       # a text, or one for each kind: number, boolean, choice, text
        max_new_tokens: 256               # optional: room for the response, if the model's own limit is lower
      - user: "{answer_1}\n{question}"     # {question}; {answer_1}, {answer_2}, ...: responses of earlier turns
        append: {number: Answer with one number., boolean: Answer yes or no., choice: Answer with one letter.}
        continues: false                  # true: the conversation goes on (default); false: it starts again
        images: true                      # whether the images are shown (default: where a conversation starts)
        example: "{rationale}"            # with shots: what the model said in an example: {answer}, {rationale}
    answer_after: "Answer:"               # optional: the mark after which the last response has its answer
    replaceable: true                     # optional: the wording of a model's prompt form replaces the text of the turn

A multiple-choice question includes its options. Every turn is a request of its own, so its response is stored. Where a
model ranks options, it ranks them after the last turn, and `append` is left out. Another name in braces is an error.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import UnreadableImageError, decode
from whatif.engine.language.messages import ImagePart, Message, Messages, user_message
from whatif.engine.language.named_files import names_in, read_named
from whatif.engine.language.prompts import read as read_form
from whatif.engine.language.strategies.strategy import Strategy, Turn, filled


@dataclass(frozen=True)
class Shot:
    """An example of a benchmark's own: a question with its images, its answer, and the reasons for it."""

    example_id: str
    question: str
    answer: str
    rationale: str
    images: tuple[ImagePart, ...] = ()


FOLDER: Traversable = resources.files(__name__)
DIRECT = "direct"  # the question and the required form of the answer
_EXAMPLE_PLACE = re.compile(r"\{(answer|rationale)\}")


def strategies(*, shots: bool = True) -> list[str]:
    """The available names, sorted; without `shots`, only those that need no examples of a benchmark's own."""
    names = names_in(FOLDER)
    return names if shots else [name for name in names if not read(name).shots]


def prompt(strategy: str, question: str, answer_kind: str, prompt_form: str | None = None) -> str:
    """The text of a strategy's first turn for a question whose answer is a `number`, `boolean`, `choice` or `text`.

    A multiple-choice question includes its options. `prompt_form` names the form of the model that is asked; its
    wording replaces that of a strategy that is `replaceable`. Raises WhatifError for an unknown strategy, answer kind
    or form.
    """
    return _worded(strategy, read(strategy).turns[0], question, answer_kind, prompt_form)


def conversation(
    strategy: str,
    question: str,
    answer_kind: str,
    images: Sequence[ImagePart] = (),
    responses: Sequence[str] = (),
    *,
    prompt_form: str | None = None,
    shown: Sequence[Shot] = (),
    ranked: bool = False,
) -> Messages:
    """The messages of the turn that follows `responses`: of the first turn if there are none.

    For `prompt_form` see `prompt`. `shown` are the examples of a strategy with `shots`. With `ranked`, options are
    ranked after the last turn. Raises WhatifError for an unknown strategy, answer kind or form, and for an example
    whose image is missing or not the one that the strategy names.
    """
    described = read(strategy)
    messages: Messages = ()
    for number, turn in enumerate(described.turns[: len(responses) + 1]):
        at_end = ranked and number == len(described.turns) - 1
        text = _worded(strategy, turn, question, answer_kind, prompt_form, responses[:number], ranked=at_end)
        asked = user_message(text, tuple(images) if turn.shows_images(number) else ())
        if turn.starts(number):
            opening = _opening(strategy, answer_kind, prompt_form)
            shots = [_shot(strategy, shot, answer_kind, prompt_form, ranked=ranked) for shot in shown]
            messages = (*opening, *(message for shot in shots for message in shot), asked)
        else:
            messages = (*messages, Message("assistant", (responses[number - 1],)), asked)
    return messages


def example_images(strategy: str) -> dict[str, bytes]:
    """The encoded images of a strategy's worked examples, by id.

    Raises WhatifError when one is missing, cannot be decoded, or is not the one that the strategy names.
    """
    found = {}
    for example in read(strategy).examples:
        for image in example.images:
            file = FOLDER / "images" / image.file
            try:
                data = file.read_bytes()
            except OSError as error:
                raise WhatifError(
                    f"strategy {strategy}: the image {image.file} of an example cannot be read ({error.strerror}); "
                    "put it into the folder `images` beside the strategy"
                ) from error
            digest = hashlib.sha256(data).hexdigest()
            if digest != image.sha256:
                raise WhatifError(
                    f"strategy {strategy}: the image {image.file} of an example has the SHA-256 {digest}, not "
                    f"{image.sha256}; restore the image, or correct the strategy"
                )
            try:
                decode(data)
            except UnreadableImageError as error:
                raise WhatifError(
                    f"strategy {strategy}: the image {image.file} of an example cannot be decoded ({error.said}); "
                    "replace it by a PNG or JPEG file, and correct its SHA-256 in the strategy"
                ) from error
            found[digest] = data
    return found


@cache
def read(strategy: str) -> Strategy:
    """The contents of a strategy's file. Raises WhatifError, naming the entry, when there is none or it is wrong."""
    return read_named(Strategy, FOLDER, "strategy", strategy)


def _opening(strategy: str, answer_kind: str, prompt_form: str | None) -> Messages:
    """What precedes the question: the system message, and the worked examples for its kind."""
    described = read(strategy)
    opening = [] if described.system is None else [Message("system", (described.system,))]
    for example in described.examples:
        if example.kind in (None, answer_kind):
            text = _worded(strategy, described.turns[0], example.question, answer_kind, prompt_form)
            images = [ImagePart(image.sha256) for image in example.images]
            opening += [user_message(text, images), Message("assistant", (example.answer,))]
    return tuple(opening)


def _shot(strategy: str, shot: Shot, answer_kind: str, prompt_form: str | None, *, ranked: bool) -> Iterator[Message]:
    """The whole conversation about an example, turn by turn."""
    turns = read(strategy).turns
    responses: list[str] = []
    for number, turn in enumerate(turns):
        at_end = ranked and number == len(turns) - 1
        text = _worded(strategy, turn, shot.question, answer_kind, prompt_form, responses, ranked=at_end)
        yield user_message(text, shot.images if turn.shows_images(number) else ())
        responses.append(_EXAMPLE_PLACE.sub(lambda found: getattr(shot, found[1]), turn.example or ""))
        yield Message("assistant", (responses[-1],))


def _worded(  # noqa: PLR0917
    strategy: str,
    turn: Turn,
    question: str,
    answer_kind: str,
    prompt_form: str | None,
    responses: Sequence[str] = (),
    *,
    ranked: bool = False,
) -> str:
    text = turn.text(answer_kind, ranked=ranked)
    if text is None:
        raise WhatifError(f"strategy {strategy}: has no prompt for answer kind {answer_kind}")
    if prompt_form is not None and read(strategy).replaceable and not ranked:
        text = read_form(prompt_form).wording(answer_kind) or text
    return filled(text, question, responses)
