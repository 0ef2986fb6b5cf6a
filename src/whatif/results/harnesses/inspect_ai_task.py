"""A published data set of whatif as a task of inspect_ai.

Answers are extracted by whatif, so a response has the score that it has there. In the folder of this file:

    pip install inspect_ai datasets pillow whatif-bench
    inspect eval . --model openai/MODEL
    inspect eval . --model openai/MODEL -T data=OWNER/REPOSITORY
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    accuracy,
    metric,
    scorer,
    stderr,
    value_to_float,
)
from inspect_ai.solver import TaskState, generate

from whatif.engine.language.finish_reasons import withheld
from whatif.results.harnesses import scores

FOLDER = Path(__file__).resolve().parents[2]  # the data set folder, of which this file is part
FIELDS = ("question_id", "pair_id", "group", "variant", "question", "choices", "answer", "answer_kind")
# The tool then gives an endpoint's message in place of a response. Every reason that it does not know, as those of
# failures are (`error`, `network_error`, `abort`), is `unknown` there.
NO_RESPONSE = ("model_length", "unknown")
SIGNATURES = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp", b"BM": "bmp"}


@task
def whatif_benchmark(data: str | None = None, split: str = "test") -> Task:
    """The questions of a data set, asked directly.

    data: a folder, or a repository of the Hugging Face hub. Default: the data set folder that this file is part of.
    """
    samples = [sample(row, shown) for row in rows(data, split) if (shown := scores.shown(row)) is not None]
    return Task(dataset=MemoryDataset(samples, name="whatif_benchmark"), solver=generate(), scorer=whatif_extraction())


def rows(data: str | None, split: str) -> Any:
    """The questions with their images still encoded."""
    from datasets import Image, List, load_dataset

    read = load_dataset(data or str(FOLDER), "questions", split=split)
    name, encoded = ("image" if "image" in read.column_names else "images"), Image(decode=False)
    return read.cast_column(name, encoded if name == "image" else List(encoded))


def sample(row: Mapping[str, Any], images: list[Mapping[str, Any]]) -> Sample:
    """A question: its images, then its prompt."""
    content = [*(ContentImage(image=data_uri(image["bytes"])) for image in images), ContentText(text=scores.asked(row))]
    return Sample(
        input=[ChatMessageUser(content=content)],
        target=row["answer"],
        id=row["question_id"],
        metadata={name: row[name] for name in FIELDS},
    )


def data_uri(image: bytes) -> str:
    """An encoded image as a data URI."""
    kind = next((name for signature, name in SIGNATURES.items() if image.startswith(signature)), "png")
    return f"data:image/{kind};base64,{base64.b64encode(image).decode()}"


@metric
def by_variant() -> Metric:
    """Accuracy on originals and on counterfactuals, and the share of pairs with both right (`pair_accuracy`).

    A set without counterfactual questions has the accuracy of each group and variant instead.
    """

    as_number = value_to_float()

    def calculate(scored: list[SampleScore]) -> Value:
        outcomes = [scores.outcome(one.sample_metadata or {}, as_number(one.score.value)) for one in scored]
        return {**scores.accuracies(outcomes)}

    return calculate


@scorer(metrics=[accuracy(), stderr(cluster="pair_id"), by_variant()])
def whatif_extraction() -> Scorer:
    """Whether the answer that whatif extracts from a response is correct; its status says why there is none."""

    async def extract(state: TaskState, target: Target) -> Score:
        output = state.output
        failure = output.error or (output.stop_reason if output.stop_reason in NO_RESPONSE else None)
        cut_off = output.stop_reason == "max_tokens"
        refused = withheld(output.completion, None, output.stop_reason)
        found = scores.score(state.metadata, output.completion, cut_off=cut_off, failure=failure, refused=refused)
        return Score(
            value=CORRECT if found.correct else INCORRECT,
            answer=found.answer,
            explanation=found.status if found.reason is None else f"{found.status}: {found.reason}",
        )

    return extract
