"""Tables that several benchmarks have; the results of each are `whatif.benchmarks.shared.results`."""

from __future__ import annotations

from collections.abc import Callable, Collection

from whatif.engine.graph.dimensions import Dimension
from whatif.engine.params.model_entries import Answerer, Prompted
from whatif.engine.params.whole import Params
from whatif.results.reporting.table_modules import table_files


def shared_tables(*names: str) -> tuple[str, ...]:
    """The modules of some of these tables, for `TableModules`."""
    return tuple(f"{__name__}.{name}" for name in names)


def without_empty_tables(
    dimension: Dimension, probe: Dimension | None = None
) -> Callable[[Params, str], Collection[str]]:
    """What a step with the tables `repeats`, `prompt-sensitivity` and `probes` leaves out (`Step.leaves_out`).

    These are the files of the first, if no model has several samples, those of the second, if none has several prompts,
    and those of the third, if none is probed. `dimension` has the models that are evaluated, `probe` the probes of the
    step `probe_step`.
    """

    def left_out(params: Params, benchmark: str) -> Collection[str]:
        keys = dimension.values(params, benchmark)
        models = [params.models[key] for key in keys]
        probes = probe.values(params, benchmark) if probe else ()
        exists = probe.exists if probe else lambda *_: False
        has = {
            "repeats": any(isinstance(model, Answerer) and model.samples > 1 for model in models),
            "prompt-sensitivity": any(isinstance(model, Prompted) and model.prompts is not None for model in models),
            "probes": any(exists(params, benchmark, {"model": key, "probe": one}) for key in keys for one in probes),
        }
        return table_files(name for name, is_filled in has.items() if not is_filled)

    return left_out
