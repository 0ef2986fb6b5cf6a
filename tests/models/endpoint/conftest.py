"""What the tests of endpoints share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.endpoint.server import SECRET
from whatif.models.responses.store import ResponseStore


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of the endpoint, which is asked without a proxy."""
    monkeypatch.setenv("TEST_API_KEY", SECRET)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    with ResponseStore(tmp_path / "responses.sqlite") as opened:
        yield opened
