"""The measurement of a step on a device runs on a CPU, too, with a tiny model."""

from __future__ import annotations

import pytest

from whatif.engine.errors import WhatifError

pytestmark = pytest.mark.slow

pytest.importorskip("transformers")
pytest.importorskip("accelerate")


@pytest.mark.soak
def test_the_steps_of_a_tiny_model_are_measured_on_a_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    from bench.contrastive_steps import main

    main("cpu", "tiny", "40")
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == ["precision", "pairs/s", "s/step", "GiB"]
    precision, pairs, seconds, memory = line.split()
    assert precision == "float32"
    assert float(pairs) > 0
    assert float(pairs) * float(seconds) == pytest.approx(8, rel=0.05)
    assert 0.1 < float(memory) < 16


def test_mixed_precision_is_refused_on_a_cpu() -> None:
    from bench.contrastive_steps import SIZES, measure_steps

    with pytest.raises(WhatifError, match="precision bfloat16 needs a GPU"):
        measure_steps("cpu", SIZES["tiny"], 1, "bfloat16")


@pytest.mark.parametrize(("size", "steps"), [("huge", "1"), ("tiny", "0"), ("tiny", "-3")])
def test_wrong_arguments_are_one_line(size: str, steps: str) -> None:
    from bench.contrastive_steps import main

    with pytest.raises(SystemExit, match="SIZE is one of base, tiny, and STEPS a number from 1"):
        main("cpu", size, steps)
