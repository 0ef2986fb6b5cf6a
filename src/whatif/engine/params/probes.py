"""The probes of an evaluation: which changed questions a model is asked beside the ordinary ones.

One list is set for all benchmarks, as `probes` of `params.yaml`. A benchmark may name others, or none.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

from whatif.engine.params.base import BenchmarkSettings, Settings

SHUFFLED, WITHOUT_IMAGE, OTHER_IMAGE = "shuffled-options", "without-image", "other-image"
NONE_OF_THESE, PARAPHRASED = "none-of-these", "paraphrased"
OF_OPTIONS = (SHUFFLED, NONE_OF_THESE)  # those that change the options of a question
PROBES = (SHUFFLED, WITHOUT_IMAGE, OTHER_IMAGE, NONE_OF_THESE, PARAPHRASED)
ALL = "all"


def _listed(given: Any) -> Any:
    """The names of probes, in the order of tables. Raises ValueError for one that does not exist."""
    if given == ALL:
        return list(PROBES)
    if given is False:
        return []
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, list):
        return given
    for name in given:
        if name not in PROBES:
            alike = difflib.get_close_matches(str(name), PROBES, 1)
            meant = f"did you mean `{alike[0]}`? There" if alike else "there"
            raise ValueError(f"{name!r} is no probe; {meant} are {', '.join(PROBES)}; or `{ALL}` alone")
    return [name for name in PROBES if name in given]


Probes = Annotated[list[str], BeforeValidator(_listed)]


class Probing(Settings):
    """How a benchmark asks models that are probed: the part of its settings that names the probes."""

    probes: Probes | None = None  # null: those of all benchmarks; false: none


def with_probes(section: BenchmarkSettings, default: Sequence[str]) -> BenchmarkSettings:
    """The settings of a benchmark with the probes that it has: its own, or those of all benchmarks."""
    stage = getattr(section, "evaluate", None)
    if not isinstance(stage, Probing) or stage.probes is not None:
        return section
    return section.model_copy(update={"evaluate": stage.model_copy(update={"probes": list(default)})})
