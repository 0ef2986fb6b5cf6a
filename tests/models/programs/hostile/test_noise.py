"""Messages of noise: our process takes each for a message, or refuses it with an error that it expects."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest

from whatif.models.programs.sandbox.messages import Call, Result, Started, message_of
from whatif.models.programs.sandbox.worker import frames

LARGEST = 1 << 16
FORMS: list[dict[str, Any]] = [
    {"kind": "started"},
    {"kind": "call", "tool": "find", "arguments": {"patch": 0, "name": "cat"}},
    {"kind": "result", "outcome": "ok", "value": ["yes", 1, 2.5, None], "printed": "text"},
    {"kind": "result", "outcome": "error", "reason": "why", "printed": ""},
]
ODD: list[Any] = [None, True, -1, 10**30, 1e308, [], {}, [[[[]]]], {"a": {"b": []}}]
ODD += ["", "\ud800", "\x00\x1b[2J", "ok", "call"]
ODD_TEXTS = [b"1e999", b"NaN", b"-Infinity", b"9" * 5000, b"[" * 3000, b'"\\ud800"', b"\xff", b'{"kind":"started"}']


def noise(chance: random.Random) -> bytes:
    """A frame that is close to a real one: odd values, odd texts, changed bytes, or another length."""
    form = dict(chance.choice(FORMS))
    for name in chance.sample(sorted(form), chance.randrange(len(form) + 1)):
        form[name] = chance.choice(ODD)
    if chance.random() < 0.2:
        form[chance.choice(["outcome", "value", "extra", "__class__"])] = chance.choice(ODD)
    body = bytearray(json.dumps(form).encode("ascii"))
    if chance.random() < 0.3:
        place = chance.randrange(len(body))
        body[place : place + chance.randrange(4)] = chance.choice(ODD_TEXTS)
    length = len(body) + (chance.choice([-1, 1, LARGEST]) if chance.random() < 0.1 else 0)
    return frames.HEADER.pack(length) + bytes(body)


@pytest.mark.parametrize("seed", range(20))
def test_noise_is_a_message_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        received = io.BytesIO(noise(chance))
        try:
            message = message_of(frames.read(received.read, LARGEST))
        except (frames.MalformedError, frames.TooLargeError, frames.ClosedError):
            continue
        assert isinstance(message, Started | Call | Result)
        json.dumps(vars(message), ensure_ascii=False, allow_nan=False).encode("utf-8")
        if isinstance(message, Result):
            assert (message.outcome == "ok") == (message.reason is None)
            assert message.reason is None or (message.reason and message.reason.isprintable())
