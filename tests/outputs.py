"""The outputs of a step that publishes results, kept for a test to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.artifacts.writer import Rows, as_table


class Published:
    """Writes text files where they belong, and keeps the rows of the other outputs by role (`rows`)."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {role: [] for role in SITE_OUTPUTS}

    def publish(self, path: str, data: bytes) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data)

    def write(self, role: str, rows: Rows) -> None:
        self.rows[role] += as_table(rows, SITE_OUTPUTS[role], role).to_pylist()

    def writer(self, role: str) -> _Writer:
        return _Writer(self, role)


class _Writer:
    def __init__(self, outputs: Published, role: str) -> None:
        self._outputs, self._role = outputs, role

    def write(self, rows: Rows) -> None:
        self._outputs.write(self._role, rows)
