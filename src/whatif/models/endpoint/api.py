"""Asks models behind an OpenAI-compatible endpoint, many questions at once, within a token budget."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import UnreadableImageError
from whatif.engine.language.finish_reasons import ending, withheld
from whatif.engine.language.messages import with_system, without_images
from whatif.engine.language.prompts import wrapped, wrapper
from whatif.engine.language.prompts.form import PLACE
from whatif.engine.language.reasoning import cut_off_reason
from whatif.engine.params.endpoints import ApiModel
from whatif.engine.params.prices import money
from whatif.engine.random_streams import stream
from whatif.models import Answer, ImageForm, Question
from whatif.models.composites import with_composite
from whatif.models.endpoint.connection import GaveUpError, UnansweredError
from whatif.models.endpoint.in_flight import MOST_UNANSWERED, in_flight
from whatif.models.endpoint.json_replies import json_fault, response_format
from whatif.models.endpoint.log_probabilities import InvalidLogProbabilitiesError
from whatif.models.endpoint.ranking import rank, ranking_identity
from whatif.models.endpoint.reasoning_budget import ReportedReasoning
from whatif.models.endpoint.request import Endpoint, Reply
from whatif.models.endpoint.sent_messages import Sent, as_sent, data_url
from whatif.models.order import in_order

_NAMES_SHOWN = 3  # of models
VERSION = 2  # increase it when requests change, or when more of a reply is kept


class ApiAnswers:
    """A model behind an endpoint; `spent` counts the tokens of its answers.

    The key is read when a question is asked, not before: stored answers are available without a key. `connect` makes
    the connection from the settings and `sleep`.
    """

    def __init__(
        self,
        settings: ApiModel,
        seed: int,
        sleep: Callable[[float], None] | None = None,
        connect: Callable[[ApiModel, Callable[[float], None] | None], Endpoint] = Endpoint,
    ) -> None:
        self._settings = settings
        self.takes_images = settings.takes_images
        self._seed = seed
        self._sleep = sleep
        self._connect = connect
        self.spent = Spent(settings)
        self.reasoning = ReportedReasoning(settings)
        self._other_models: set[str] = set()  # names in replies that are not the name of the settings
        self._around = wrapper(settings.prompt)
        # Only settings that are set, so that the keys of earlier stored answers do not change.
        given = {
            "system": settings.system,
            "system_role": None if settings.system_role == "system" else settings.system_role,
            "extra_body": settings.extra_body,
            "takes_images": None if settings.takes_images else False,
            "several_images": None if settings.several_images == "in place" else settings.several_images,
            "json_mode": None if settings.json_mode == "schema" else settings.json_mode,
            "ranking": ranking_identity(settings),
            "prompt": None if self._around == PLACE else self._around,
            "decoding": settings.decoding.identity,
            "reasoning": None if settings.reasoning is None else settings.reasoning.identity,
        }
        self.identity: Mapping[str, Any] = {
            "adapter": "api",
            "version": VERSION,
            # Elsewhere the same name may mean other weights or a quantisation.
            "base_url": settings.base_url.rstrip("/"),
            "model": settings.model,
            "max_new_tokens": settings.max_new_tokens,
            "temperature": settings.decoding.temperature,
            **{name: value for name, value in given.items() if value is not None},
        }

    @property
    def note(self) -> str:
        """The tokens that this run has used and their cost, for the progress display."""
        return str(self.spent)

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """One answer for each question, in the same order; see `answers_as_they_come`."""
        return in_order(self.answers_as_they_come(questions), len(questions))

    def count_stored(self, answers: Iterable[Answer]) -> None:
        """Counts stored answers of this evaluation: the budget is for all its answers together."""
        for answer in answers:
            self.spent.before += _tokens(answer)

    def answers_as_they_come(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """The place of each question and the model's text, as soon as it arrives.

        A question with options is ranked if `multiple_choice` says so (see `whatif.models.endpoint.ranking`), and asked
        in words otherwise. A text is `ok` even if it names no option: that is decided by answer extraction. An empty
        response is `none`, and so is one that is not JSON of the schema that the question asks for. A question that the
        endpoint does not answer, or whose image cannot be read, is an `error` with its reason, and the run continues;
        the error is `transient` if all tries failed. When the token budget is used up, nothing more is asked, and the
        remaining questions are such errors. Answers to pending requests are paid for and kept, so a budget may be
        exceeded by as many answers as are requested at once.

        Raises WhatifError when no answer can be expected: the key is not set or rejected, the account is empty, the
        model is unknown, the endpoint asks to wait for more than an hour, there is a budget and the endpoint does not
        count tokens, options are to be ranked and it gives no log-probabilities, or 20 questions in a row were not
        answered. All pending answers are yielded before that.
        """
        if not questions:
            return
        unanswered = 0

        def counted(answer: Answer, refused: bool) -> WhatifError | None:
            nonlocal unanswered
            # An unreadable image is not the endpoint's fault.
            unanswered = unanswered + refused if answer.status == "error" else 0
            return self._count(answer, unanswered)

        with self._connect(self._settings, self._sleep) as endpoint:
            try:
                yield from in_flight(
                    endpoint,
                    questions,
                    self._settings.concurrency,
                    ask=lambda question: self._ask(endpoint, question),
                    instead=self._over_budget,
                    count=counted,
                )
            finally:
                self._report_other_models()
                self.reasoning.report()

    def _report_other_models(self) -> None:
        """Reports what other names the replies had: an endpoint may ignore the name of the model that is asked for."""
        if self._other_models:
            names = ", ".join(sorted(self._other_models)[:_NAMES_SHOWN])
            asked = f"{self._settings.base_url}: was asked for the model {self._settings.model}"
            print(f"whatif: {asked}, but replies name {names}", file=sys.stderr)
            self._other_models.clear()

    def _over_budget(self) -> Answer | None:
        if not self.spent.all_of_budget:
            return None
        return Answer(status="error", reason=self.spent.reason, transient=True)

    def _count(self, answer: Answer, unanswered: int) -> WhatifError | None:
        """Counts an answer; returns the error that ends the run, if there is one."""
        url = self._settings.base_url
        self.spent.add(answer)  # of an error too: some of the requests for a ranking may have been answered
        if answer.status != "error":
            if self._settings.token_budget is not None and None in (answer.prompt_tokens, answer.response_tokens):
                return WhatifError(f"{url}: does not count tokens, so token_budget cannot be applied; remove it")
        elif unanswered >= MOST_UNANSWERED:
            return WhatifError(
                f"{url}: {unanswered} questions in a row were not answered, the last one because: {answer.reason}; "
                "fix the endpoint or the settings, then run again; stored answers are kept"
            )
        return None

    def _ask(self, endpoint: Endpoint, question: Question) -> tuple[Answer, bool]:
        """The answer, and whether the endpoint failed to answer."""
        try:
            shown = _shown(question, self._settings)
            pictures = [data_url(data) for data in shown.encoded_images()]
        except (OSError, ValueError) as error:
            said = error.said if isinstance(error, UnreadableImageError) else error
            return Answer(status="error", reason=f"picture cannot be read: {said}"), False
        conversation = with_system(wrapped(shown.messages, self._around), self._settings.system)
        messages = as_sent(conversation, pictures, self._settings.system_role)
        waits = stream(self._seed, "waits between tries", question.question_id)
        replies: list[Reply] = []

        def send(sent: Sent, fields: Mapping[str, Any]) -> Reply:
            limit, sample = question.max_new_tokens, question.sample
            replies.append(endpoint.ask(sent, waits, max_new_tokens=limit, sample=sample, fields=fields))
            if _is_another(replies[-1].model, self._settings.model):
                self._other_models.add(replies[-1].model)
            self.reasoning.tokens.append(replies[-1].reasoning_tokens)
            return replies[-1]

        try:
            answer = self._answer(send, messages, question)
        except (UnansweredError, InvalidLogProbabilitiesError) as error:
            lost = Answer(status="error", reason=str(error), transient=isinstance(error, GaveUpError))
            return _with_counts(lost, replies), True
        form: ImageForm = "composite" if len(pictures) < len(question.image_ids) else "in place"
        return _with_counts(replace(answer, image_form=form if pictures else None), replies), False

    def _answer(self, send: Callable[[Sent, Mapping[str, Any]], Reply], messages: Sent, question: Question) -> Answer:
        if question.options and self._settings.multiple_choice != "words":
            return rank(send, messages, question.options, self._settings)
        schema = question.json_schema
        if schema is None:
            return _answer_in(send(messages, {}))
        answer = _answer_in(send(messages, response_format(schema, self._settings.json_mode)))
        fault = json_fault(answer.without_reasoning().response or "", schema) if answer.status == "ok" else None
        return answer if fault is None else replace(answer, status="none", reason=fault)


class Spent:
    """The tokens that an endpoint counted, their cost, and whether the budget of `settings` is used up.

    The budget is for all answers of an evaluation, over any number of runs: `before` are the tokens of answers that
    were stored before this run and cost it nothing.
    """

    def __init__(self, settings: ApiModel) -> None:
        self._settings = settings
        self.before = 0
        self.prompt_tokens = 0
        self.response_tokens = 0

    def add(self, answer: Answer) -> None:
        """Counts an answer; adds nothing if the endpoint does not count tokens."""
        self.prompt_tokens += answer.prompt_tokens or 0
        self.response_tokens += answer.response_tokens or 0

    @property
    def cost(self) -> float | None:
        """The cost in the currency of the prices; None without prices."""
        prices = self._settings.prices
        return None if prices is None else prices.cost(self.prompt_tokens, self.response_tokens)

    @property
    def all_of_budget(self) -> bool:
        """Whether there is a budget and it is used up."""
        budget = self._settings.token_budget
        return budget is not None and self.before + self.prompt_tokens + self.response_tokens >= budget

    @property
    def reason(self) -> str:
        """The reason of a question that was not asked because the budget was used up."""
        return f"token_budget of {self._settings.token_budget} reached"

    def __str__(self) -> str:
        tokens = f"{self.prompt_tokens + self.response_tokens:,} tokens"
        return tokens if self.cost is None else f"{tokens}, cost {money(self.cost)}"


def api_model(settings: ApiModel, seed: int) -> ApiAnswers:
    """The model of an endpoint. Sends nothing and reads no key until a question is asked; `seed` is for retry waits."""
    return ApiAnswers(settings, seed)


def _shown(question: Question, settings: ApiModel) -> Question:
    """The question with the images that the model takes: all of them, one composite, or none."""
    if not settings.takes_images:
        return replace(question, messages=without_images(question.messages), encoded_images=lambda: ())
    return with_composite(question) if settings.several_images == "composite" else question


def _is_another(said: str, asked: str) -> bool:
    """Whether a name in a reply is of another model: endpoints add or omit a date, a revision or a provider."""
    said, asked = said.lower(), asked.lower()
    return said not in asked and asked not in said


def _answer_in(reply: Reply) -> Answer:
    end = ending(reply.finish)
    said = Answer(
        response=reply.text,
        reasoning=reply.reasoning,
        response_tokens=reply.response_tokens,
        cut_off=end == "limit",
        finish=reply.finish or None,
    )
    reason = withheld(reply.text, reply.refusal, reply.finish)
    if reply.text.strip() and reason is None:
        return said
    reason = reason or f"empty response (finish reason: {reply.finish})"
    if said.cut_off and (said.reasoning or reply.reasoning_tokens):  # some endpoints count it without showing it
        reason = cut_off_reason(reply.response_tokens)
    return replace(said, status="none", reason=reason)


def _with_counts(answer: Answer, replies: Sequence[Reply]) -> Answer:
    """The answer with the tokens of all replies together; None if there are none, or one of them has no count."""
    prompts, responses = [one.prompt_tokens for one in replies], [one.response_tokens for one in replies]
    thoughts = _sum([one.reasoning_tokens for one in replies])
    return replace(
        answer, prompt_tokens=_sum(prompts), response_tokens=_sum(responses), reasoning_tokens=thoughts or None
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _tokens(answer: Answer) -> int:
    return (answer.prompt_tokens or 0) + (answer.response_tokens or 0)
