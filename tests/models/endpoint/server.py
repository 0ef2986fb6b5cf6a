"""Shared by the tests of the adapter `api`: a real server, its key, questions and settings."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.defaults import ROOT
from tests.faulty_proxy import FaultyProxy, Plan
from tests.served_model import encoded_picture
from whatif.engine.language.messages import one_turn
from whatif.engine.params.endpoints import ApiModel
from whatif.models import Answer, Question
from whatif.models.endpoint.api import ApiAnswers

TOKENS = 8
SECRET = "sk-marker-4f1d9c-0123456789abcdef"


def question(number: int) -> Question:
    data = encoded_picture(number, "JPEG" if number % 3 == 0 else "PNG")
    return Question(
        f"question-{number}",
        "group",
        "original",
        one_turn(f"how many dots are there in circle {number % 5}?", [hashlib.sha256(data).hexdigest()]),
        encoded_images=lambda: [data],
    )


def settings_of(base_url: str, checkpoint: Path, **changes: Any) -> ApiModel:
    values = {"adapter": "api", "model": str(checkpoint), "base_url": base_url, "key_variable": "TEST_API_KEY"}
    return ApiModel.model_validate(values | {"max_new_tokens": TOKENS, "timeout_seconds": 60.0} | changes)


def ask(
    served: tuple[str, Path], plan: Plan, questions: Sequence[Question], **changes: Any
) -> tuple[list[Answer], list[float], FaultyProxy]:
    """Answers, the waits between tries (in seconds, not waited for), and the proxy with its log."""
    waits: list[float] = []
    with FaultyProxy(served[0], plan) as proxy:
        model = ApiAnswers(settings_of(proxy.base_url, served[1], **changes), 0, waits.append)
        return list(model.answer(questions)), waits, proxy


def completion(content: Any, usage: bool = True, **message: Any) -> bytes:
    counts = {"prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 3}
    choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": content, **message}}
    return json.dumps({"choices": [choice], "usage": counts if usage else None}).encode()


RUN = """
import json, sys
from pathlib import Path
from tests.models.endpoint.server import question, settings_of
from whatif.models.endpoint.api import ApiAnswers
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored

settings = settings_of(sys.argv[1], Path(sys.argv[2]), retries=1)
model = ApiAnswers(settings, 0, lambda seconds: None)
print(repr(settings), repr(model), vars(model))
with ResponseStore(Path("r.sqlite")) as store:
    answers = list(stored(model, store).answer([question(number) for number in range(12)]))
    Path("answers.txt").write_text("\\n".join(map(repr, answers)))
    store.export(Path("answers.jsonl"))
print(len(answers))
"""


def run_in_process(proxy: FaultyProxy, checkpoint: Path, folder: Path) -> subprocess.Popen[bytes]:
    """Asks twelve questions with a store in `folder`; all output goes there."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN, proxy.base_url, str(checkpoint)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_LOG": "debug"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
