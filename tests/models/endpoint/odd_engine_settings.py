"""Models behind `odd_engine.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from whatif.engine.params.endpoints import ServedModel
from whatif.models import load
from whatif.models.endpoint.served import ServedAnswers

ENGINE = f"{sys.executable} {Path(__file__).with_name('odd_engine.py')}"


def odd(fault: str, **changes: Any) -> ServedAnswers:
    values = {"adapter": "served", "command": f"{ENGINE} {fault}", "model": "tiny/model", "startup_seconds": 300.0}
    model = load("served", ServedModel.model_validate(values | {"retries": 1} | changes), 0)
    assert isinstance(model, ServedAnswers)
    return model
