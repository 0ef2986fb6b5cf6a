"""The outputs of a step that publishes results, kept for a test to read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS


class Published:
    """Writes text files where they belong, and keeps the rows of the other outputs by role (`rows`)."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {role: [] for role in SITE_OUTPUTS}

    def publish(self, path: str, data: bytes) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data)

    def write(self, role: str, rows: Iterable[dict[str, Any]]) -> None:
        self.rows[role] += pa.Table.from_pylist(list(rows), schema=SITE_OUTPUTS[role].schema).to_pylist()

    def writer(self, role: str) -> _Writer:
        return _Writer(self, role)


class _Writer:
    def __init__(self, outputs: Published, role: str) -> None:
        self._outputs, self._role = outputs, role

    def write(self, rows: Iterable[dict[str, Any]]) -> None:
        self._outputs.write(self._role, rows)
