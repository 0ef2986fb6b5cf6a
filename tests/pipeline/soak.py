"""Many power cuts, with the counts printed: `python -m tests.pipeline.soak [CUTS] [SEED]`."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.faulty_proxy import FaultyProxy
from tests.pipeline.power_cuts import Outcome, PowerCuts
from tests.pipeline.slurm_cluster import slurm, why_not
from tests.served_model import served_model


def main(cuts: int, seed: int) -> int:
    """Cuts so many runs off; returns the exit code, 1 when one did not end as promised."""
    outcomes: list[Outcome] = []
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="whatif-soak-")))
        cluster = None
        if reason := why_not():
            print(f"without Slurm: {reason}", flush=True)
        else:
            cluster = stack.enter_context(slurm(folder / "slurm"))
        (folder / "served").mkdir()
        address, checkpoint = stack.enter_context(served_model(folder / "served"))
        proxy = stack.enter_context(FaultyProxy(address))
        power_cuts = PowerCuts(folder, proxy, checkpoint, cluster)
        power_cuts.prepare()
        print(f"an uninterrupted run: {len(power_cuts.results)} files, {power_cuts.requests} requests", flush=True)
        for number in range(cuts):
            outcomes.append(power_cuts.try_out(f"cut-{number}", power_cuts.planned(number, seed)))
            print(f"{number + 1:3}  {_line(outcomes[-1])}", flush=True)
    kinds = Counter(outcome.cut.kind for outcome in outcomes)
    identical = sum(outcome.identical for outcome in outcomes)
    print(f"cuts: {len(outcomes)} ({', '.join(f'{number} {kind}' for kind, number in kinds.items())})")
    print(f"resumes: {len(outcomes)}, of them {identical} byte-identical, {len(outcomes) - identical} not")
    print(f"repeated requests: {sum(outcome.asked_again for outcome in outcomes)}")
    print(f"requests that were on their way at the cut: {sum(outcome.lost for outcome in outcomes)}")
    faults = [fault for outcome in outcomes for fault in outcome.faults]
    for fault in faults:
        print(f"fault: {fault}")
    return 1 if faults else 0


def _line(outcome: Outcome) -> str:
    cut = outcome.cut
    what = f"{cut.kind:9} of a run by {cut.entry_point:9} after {cut.after:3} artifacts and requests"
    told = "as uninterrupted" if not outcome.faults else f"{len(outcome.faults)} faults"
    return f"{what}: {outcome.stored} answers stored, {outcome.asked_again} asked again, {told}"


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    sys.exit(main(numbers[0] if numbers else 20, numbers[1] if len(numbers) > 1 else 0))
