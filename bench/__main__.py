"""Runs the measurements named on the command line, or all; prints a table and writes bench.json."""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
import traceback
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench import NotInstalledError

# Name -> module with a function `measure`, which returns `ours` and `peer` in the same unit, and the ratio; perhaps
# also `further_peers`, the numbers of others by their names. SMALL has the module's constants at the size of tests.
MEASUREMENTS = {
    "puzzle-images": "bench.puzzle_images",
    "noop-repro": "bench.noop_repro",
    "repro": "bench.repro",
    "restore-repro": "bench.restore_repro",
    "status-1000-artifacts": "bench.status",
    "rank-options": "bench.rank_options",
    "rank-unconditional": "bench.rank_unconditional",
    "rank-shared": "bench.rank_shared",
    "generate-batch": "bench.generate_batch",
    "served": "bench.served",
    "same-evaluation": "bench.same_evaluation",
    "caption-candidates": "bench.caption_candidates",
    "perplexity": "bench.perplexity",
    "perplexity-apart": "bench.perplexity_apart",
    "prompt-to-prompt": "bench.prompt_to_prompt",
    "early-stop": "bench.early_stop",
    "recall-at-k": "bench.recall_at_k",
    "scene-pictures": "bench.scene_pictures",
    "class-images": "bench.class_images",
    "sandbox": "bench.sandbox",
    "contrastive-epoch": "bench.contrastive_epoch",
    "aggregate-10m": "bench.aggregate_10m",
    "site-50k-items": "bench.item_browser",
    "diff": "bench.diff",
}
FILE = Path("bench.json")


def machine() -> str:
    """Processor, cores and Python of this machine."""
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    processor = names[0].split(":", 1)[1].strip() if names else platform.processor()
    return f"{processor}, {os.cpu_count()} cores, Python {platform.python_version()}"


def measured(name: str, *, small: bool = False) -> dict[str, Any]:
    """The result of one measurement; `small` is its size in the tests, where its numbers mean nothing.

    Raises NotInstalledError when something that it needs is not installed.
    """
    module = importlib.import_module(MEASUREMENTS[name])
    try:
        with patch.multiple(module, **module.SMALL) if small else nullcontext():
            return dict(module.measure())
    except ModuleNotFoundError as error:
        raise NotInstalledError(str(error.name)) from None


def main(chosen: list[str]) -> None:
    """Measures, prints and writes; entries that are not measured now are kept in the file.

    A measurement that fails is reported, and the others go on; the exit status tells of it at the end.
    """
    unknown = [name for name in chosen if name not in MEASUREMENTS]
    if unknown:
        sys.exit(f"bench: unknown measurement {unknown[0]}; choose from {', '.join(MEASUREMENTS)}")
    results: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    print(f"{machine()}\n\n{'':24}{'ours':>12}{'peer':>12}  {'unit':10}{'ratio':>7}  peer")
    failed = []
    for name in chosen or list(MEASUREMENTS):
        try:
            result = measured(name)
        except NotInstalledError as missing:
            print(f"{name:24}left out: {missing} is not installed", flush=True)
            continue
        except Exception:
            traceback.print_exc()
            print(f"{name:24}failed, see above", flush=True)
            failed.append(name)
            continue
        results[name] = {**result, "machine": machine()}
        print(
            f"{name:24}{result['ours']:12.3g}{result['peer']:12.3g}  {result['unit']:10}{result['ratio']:6.1f}x  "
            f"{result['peer_name']}",
            flush=True,
        )
        for further, value in result.get("further_peers", {}).items():
            ratio = value / result["ours"] if result["unit"] == "s" else result["ours"] / value
            print(f"{'':36}{value:12.3g}  {'':10}{ratio:6.1f}x  {further}", flush=True)
        FILE.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    if failed:
        sys.exit(f"bench: failed: {', '.join(failed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
