"""Logs of trainings of a few steps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from training import loop


@pytest.fixture(scope="module")
def short_logs(request: pytest.FixtureRequest) -> Iterator[None]:
    """A line of the log for every few steps (4, or a module's `LOG_EVERY`): few steps show whether a loss falls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "_LOG_EVERY", getattr(request.module, "LOG_EVERY", 4))
        yield
