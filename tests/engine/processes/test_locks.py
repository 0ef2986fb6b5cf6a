"""Locks in a checkout that cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from whatif.engine.errors import WhatifError
from whatif.engine.processes import locks


def test_a_checkout_that_cannot_be_written_is_named_with_what_to_do(folder: Path) -> None:
    (folder / ".whatif").touch()  # as in a read-only checkout, for any user
    told = rf"^{folder}: cannot be written \(.whatif/locks: .+\); make it writable, or work in a copy of it$"
    with pytest.raises(WhatifError, match=told):
        locks.hold_checkout()
    with pytest.raises(WhatifError, match=told), locks.try_job("aggregate site"):
        pass
