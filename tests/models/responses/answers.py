"""Shared by the tests of stored answers: a request, an answer, and putting both into a store."""

from __future__ import annotations

from typing import Any

from whatif.models.responses.store import ResponseStore, request_key


def request_of(prompt: str, model: str = "m") -> dict[str, Any]:
    return {"identity": {"adapter": "api", "model": model}, "prompt": prompt, "options": [], "image_ids": []}


def answer_of(response: str) -> dict[str, Any]:
    return {"status": "ok", "response": response}


def put(store: ResponseStore, prompt: str, response: str, model: str = "m") -> dict[str, Any]:
    request = request_of(prompt, model)
    return store.put(request_key(request), request, answer_of(response))
