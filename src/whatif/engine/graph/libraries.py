"""The libraries that a job's code uses: their versions are in the footers, so a change can be named.

Another version makes nothing stale, because most give the same rows, and nobody wants to compute everything again
after each update. The versions belong to the code that a job reaches, and not to what a process happens to have
imported, so that the same job writes the same bytes in every process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

from whatif.engine import artifacts
from whatif.engine.errors import WhatifError
from whatif.engine.graph.code_index import libraries
from whatif.engine.graph.jobs import Job

# Imported package -> the distributions that decide what it computes, where that is not the one of its name.
_DECIDES: Mapping[str, tuple[str, ...]] = {
    "PIL": ("pillow",),
    "diffusers": ("diffusers", "torch", "transformers", "tokenizers"),
    "open_clip": ("open_clip_torch", "timm", "torch"),
    "sentence_transformers": ("sentence-transformers", "torch", "transformers", "tokenizers"),
    "sklearn": ("scikit-learn", "scipy"),
    "statsmodels": ("statsmodels", "scipy"),
    "textblob": ("textblob", "nltk"),
    "timm": ("timm", "torch"),
    "torchvision": ("torchvision", "torch"),
    "transformers": ("transformers", "tokenizers", "torch"),
}
# They check, store and show, and compute nothing. That of a GGUF file is what its format says, that of a LoRA what its
# files say; and the packages are installed only where such files are used, but the code of every checkpoint names them.
_DECIDE_NOTHING = frozenset(
    (
        "click",
        "gguf",
        "jinja2",
        "markupsafe",
        "openpyxl",
        "peft",
        "pyarrow",
        "pydantic",
        "safetensors",
        "threadpoolctl",
        "tqdm",
        "yaml",
    )
)


def of(job: Job) -> dict[str, str]:
    """The installed versions of the libraries that a job's code uses, by the names of their distributions."""
    used = set(libraries(job.code_roots)) - _DECIDE_NOTHING
    names = sorted({name for package in used for name in _DECIDES.get(package) or _distributions(package)})
    return {name: found for name in names if (found := _installed(name))}


def changes(jobs: Iterable[Job]) -> Iterator[str]:
    """A line for each library whose version is another one than that with which artifacts of some jobs were made."""
    found: dict[tuple[str, str], int] = {}
    for job in jobs:
        for path in job.outputs.values():
            for name, before in _recorded(path).items():
                if before != _installed(name):
                    found[name, before] = found.get((name, before), 0) + 1
    for (name, before), number in sorted(found.items()):
        now = _installed(name)
        is_now = f"installed is {now}" if now else "it is not installed"
        yield f"made with {name} {before}, {is_now}: {number:,} artifact{'s' if number > 1 else ''}"


def _recorded(path: Path) -> Mapping[str, str]:
    try:
        return artifacts.footer_of(path).libraries
    except WhatifError:
        return {}


@cache
def _distributions(package: str) -> tuple[str, ...]:
    """The distributions of a package: mostly that of its name; looking through all of them takes half a second."""
    return (package,) if _installed(package) else tuple(sorted(set(packages_distributions().get(package, ()))))


@cache
def _installed(name: str) -> str:
    """The version of a distribution, without what names its build (`2.9.0+cpu`); empty if it is not installed."""
    try:
        return version(name).partition("+")[0]
    except PackageNotFoundError:
        return ""
