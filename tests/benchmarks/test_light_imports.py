"""Every command and every job imports the declarations of all benchmarks, so these import no heavy library."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

HEAVY = ("pandas", "torch", "transformers", "diffusers", "sklearn", "matplotlib", "statsmodels")


def test_declarations_of_benchmarks_import_no_heavy_library() -> None:
    code = (
        "import sys; from whatif.benchmarks import discovery; "
        "names = [discovery.benchmark(name).name for name in discovery.modules()]; "
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), 'scenes' in names)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True"
