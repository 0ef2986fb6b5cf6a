"""Tables that several benchmarks have; the results of each are `whatif.benchmarks.shared.results`."""

from __future__ import annotations

from collections.abc import Callable, Collection

from whatif.engine.graph.dimensions import Dimension
from whatif.engine.params.model_entries import Answerer
from whatif.engine.params.whole import Params
from whatif.results.reporting.table_modules import table_files


def shared_tables(*names: str) -> tuple[str, ...]:
    """The modules of some of these tables, for `TableModules`."""
    return tuple(f"{__name__}.{name}" for name in names)


def without_repeats(dimension: Dimension) -> Callable[[Params, str], Collection[str]]:
    """What a step with the table `repeats` leaves out (`Step.leaves_out`): its files, if no model has several samples.

    `dimension` has the models that are evaluated.
    """

    def left_out(params: Params, benchmark: str) -> Collection[str]:
        models = [params.models[key] for key in dimension.values(params, benchmark)]
        repeated = any(isinstance(model, Answerer) and model.samples > 1 for model in models)
        return () if repeated else table_files(["repeats"])

    return left_out


def without_unused(dimension: Dimension, probe: Dimension) -> Callable[[Params, str], Collection[str]]:
    """The same for a step that also has the table `probes`: its files are left out if no model is probed.

    `probe` has the probes of the step `probe_step`.
    """

    def left_out(params: Params, benchmark: str) -> Collection[str]:
        probed = any(
            probe.exists(params, benchmark, {"model": key, "probe": one})
            for key in dimension.values(params, benchmark)
            for one in probe.values(params, benchmark)
        )
        return (*without_repeats(dimension)(params, benchmark), *(() if probed else table_files(["probes"])))

    return left_out
