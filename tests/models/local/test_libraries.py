"""Libraries are imported while the collector of cyclic garbage waits, and it works afterwards."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

from whatif.models.local.libraries import import_libraries

MODULE = "import gc\nwas_enabled = gc.isenabled()\nobjects = [[number] for number in range(9)]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_waits_and_is_as_before_afterwards(folder: Path, enabled: bool) -> None:
    name = f"imported_once_{enabled}"
    (folder / f"{name}.py").write_text(MODULE, encoding="utf-8")
    if not enabled:
        gc.disable()
    try:
        import_libraries(name)
        assert gc.isenabled() is enabled
    finally:
        gc.enable()
    module = sys.modules[name]
    assert module.was_enabled is False
    assert not any(each is module.objects for each in gc.get_objects())  # the collector does not look at it again
    frozen = gc.get_freeze_count()
    import_libraries(name, "sys")
    assert gc.get_freeze_count() <= frozen


def test_an_error_of_the_import_leaves_the_collector_at_work(folder: Path) -> None:
    with pytest.raises(ImportError, match="no_such_library"):
        import_libraries("no_such_library")
    assert gc.isenabled()
