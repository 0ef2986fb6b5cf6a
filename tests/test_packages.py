"""Which package imports which, what shared packages may know, and patterns that every Python reads alike."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import whatif

pytestmark = pytest.mark.slow

ROOT = Path(whatif.__file__).parent
TEMPLATE = ROOT / "commands" / "new_project" / "template"  # of a project that uses whatif
MODULES = {
    ".".join(["whatif", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
    if not path.is_relative_to(TEMPLATE)
}
# What may import a benchmark: what users call, and what the benchmarks' own models are trained on.
ABOVE_BENCHMARKS = {"benchmark", "commands", "__main__", "benchmarks"}
# A benchmark of the same pairs as another one, from another source.
VARIANTS = {
    "benchmarks.coco_counterfactuals_released": {"benchmarks.coco_counterfactuals"},
    "benchmarks.coco_counterfactuals_training": {
        "benchmarks.coco_counterfactuals",
        "benchmarks.coco_counterfactuals_released",
    },
    "benchmarks.cvqa_synthetic_released": {"benchmarks.cvqa_synthetic"},
}


def package_of(module: str) -> str:
    """A package directly in `whatif`; of the benchmarks each one."""
    parts = module.split(".")[1:]
    if not parts:
        return "whatif"
    return ".".join(parts[:2]) if parts[0] == "benchmarks" and len(parts) > 1 and is_package(parts[:2]) else parts[0]


def is_package(parts: list[str]) -> bool:
    return (ROOT.joinpath(*parts) / "__init__.py").is_file()


def imported(path: Path) -> Iterator[str]:
    """The modules of whatif that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else str(node.module)


def edges() -> dict[str, dict[str, str]]:
    """Package -> package that it imports -> an example."""
    found: dict[str, dict[str, str]] = {}
    for module, path in MODULES.items():
        for other in imported(path):
            before, after = package_of(module), package_of(other)
            if after not in (before, "whatif"):
                found.setdefault(before, {}).setdefault(after, f"{module} imports {other}")
    return found


def test_the_package_imports_nothing_that_no_wheel_has() -> None:
    roots = {"training", "docs", "bench", "tests"}
    known = [
        f"{path.relative_to(ROOT)}: {node.module}"
        for path in sorted(ROOT.rglob("*.py"))
        if "template" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and not node.level and str(node.module).split(".")[0] in roots
    ]
    assert known == []


def test_no_package_imports_another_that_imports_it_back() -> None:
    graph = edges()
    assert len(graph) > 15
    reached: dict[str, set[str]] = {}
    for package in graph:
        waiting, seen = [package], set()
        while waiting:
            for other in graph.get(waiting.pop(), {}):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        reached[package] = seen
    circles = [
        example
        for package, others in graph.items()
        for other, example in others.items()
        if package in reached.get(other, ())
    ]
    assert circles == []


def test_the_top_level_can_be_taken_in_at_a_glance() -> None:
    entries = {path.name for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert entries == {
        *(
            "__init__.py",
            "__main__.py",
            "benchmark.py",
            "benchmarks",
            "commands",
            "engine",
            "formats",
            "models",
            "people",
        ),
        *("results", "scoring", "world"),
    }


def test_a_package_imports_only_packages_before_it() -> None:
    below = ["engine", "formats", "models", "scoring", "people", "results", "world"]
    order = [*below, "benchmarks", "benchmark", "commands", "__main__", "whatif"]
    found = {(before.split(".")[0], after.split(".")[0]) for before, others in edges().items() for after in others}
    assert [pair for pair in sorted(found) if order.index(pair[0]) < order.index(pair[1])] == []


def test_authors_import_one_module() -> None:
    package = Path(__file__).parent / "toy_package"
    sources = [*(TEMPLATE / "src").rglob("*.py"), *(TEMPLATE / "tests").rglob("*.py"), *package.rglob("*.py")]
    imported = {
        node.module
        for path in sources
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "whatif"
    }
    assert imported == {"whatif.benchmark"}


@pytest.mark.process
def test_the_module_of_authors_loads_no_heavy_library() -> None:
    heavy = ("torch", "transformers", "diffusers", "matplotlib", "pandas", "sklearn", "scipy.stats")
    code = f"import sys, whatif.benchmark; print(sorted(set({heavy!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_shared_packages_know_no_benchmark() -> None:
    known = [
        example
        for package, others in edges().items()
        if package.split(".")[0] not in ABOVE_BENCHMARKS
        for other, example in others.items()
        if other.split(".")[0] == "benchmarks"
    ]
    assert known == []


def test_a_benchmark_imports_no_others_but_those_that_it_is_a_variant_of() -> None:
    known = [
        example
        for package, others in edges().items()
        if package.startswith("benchmarks.")
        for other, example in others.items()
        if other.startswith("benchmarks.") and other not in {"benchmarks.shared", *VARIANTS.get(package, ())}
        if is_package(other.split("."))
    ]
    assert known == []


def test_shared_packages_name_no_benchmark_and_no_paper() -> None:
    """Names of benchmarks are in their own folders, in commands that carry their files, and nowhere else."""
    import re

    named = re.compile(r"\"(cvqa-real|(cvqa-synthetic|coco-counterfactuals)(-released|-training)?)\"")
    found = [
        module
        for module, path in MODULES.items()
        if package_of(module).split(".")[0] not in ABOVE_BENCHMARKS and named.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


# Python 3.11.0 to 3.11.4 match such a group otherwise (CPython issue 106052), and Debian 12 has 3.11.2.
_POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+")


def test_no_pattern_repeats_a_group_possessively() -> None:
    sources = sorted(Path(whatif.__file__).parent.rglob("*.py"))
    assert len(sources) > 100
    found = [
        f"{source}:{node.lineno}: {node.value}"
        for source in sources
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _POSSESSIVE_GROUP.search(node.value)
    ]
    assert not found


def test_the_search_itself_finds_one() -> None:
    assert all(map(_POSSESSIVE_GROUP.search, (r"(?:[, ]\d{3})++(?!\d)", r"(a|b)*+", r"(?:x){1,3}+")))
    assert not any(map(_POSSESSIVE_GROUP.search, (r"\d++", r"\W*+(?:a)+", r"\)*+")))
