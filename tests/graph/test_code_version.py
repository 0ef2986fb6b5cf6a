"""The version of code: which edits change it, and which do not."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from whatif import benchmarks, models, params
from whatif.graph import code_version as module
from whatif.graph.code_version import code_version

SOURCES = {
    "__init__": "from sample.face import shown\n",
    "face": """
        from sample import helper
        def shown(x):
            return helper.used(x)
        """,
    "helper": """
        import math
        LIMIT = 3
        ADAPTERS = {"a": "sample.plugin:answer"}
        def used(x: "Unrelated") -> "Unrelated":
            '''A docstring.'''
            return min(x, LIMIT)  # a comment
        def unused(x):
            return x + 1
        class Unrelated:
            field = 1
        def looks_up(name):
            return ADAPTERS[name]
        """,
    "plugin": """
        def answer():
            from sample.helper import used
            return used(1)
        """,
}


@pytest.fixture
def version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., dict[str, str]]]:
    """Reads the version of a root in the package `sample` after an edit (module, old text, new text)."""
    folder = tmp_path / "sample"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))

    def read(root: str = "sample.face:shown", edit: tuple[str, str, str] | None = None) -> dict[str, str]:
        for name, text in SOURCES.items():
            source = textwrap.dedent(text)
            if edit and edit[0] == name:
                assert edit[1] in source
                source = source.replace(edit[1], edit[2])
            (folder / f"{name}.py").write_text(source, encoding="utf-8")
        for cached in (module._version, module._module, module._path):
            cached.cache_clear()
        return code_version([root])

    yield read
    sys.modules.pop("sample", None)
    for cached in (module._version, module._module, module._path):
        cached.cache_clear()


def test_only_what_is_reached_counts(version: Callable[..., dict[str, str]]) -> None:
    assert sorted(version()) == ["sample.face", "sample.helper"]


@pytest.mark.parametrize(
    ("edit", "changes"),
    [
        (("helper", "return min(x, LIMIT)", "return max(x, LIMIT)"), True),
        (("helper", "LIMIT = 3", "LIMIT = 4"), True),
        (("face", "helper.used(x)", "helper.used(x) + 1"), True),
        (("helper", "# a comment", "# another remark"), False),
        (("helper", "'''A docstring.'''", "'''Another.\n\n    Longer.\n    '''"), False),
        (("helper", "import math", "import math\n\n\n"), False),
        (("helper", "return x + 1", "return x + 2"), False),
        (("helper", "field = 1", "field = 2"), False),
        (("plugin", "used(1)", "used(2)"), False),
    ],
)
def test_which_edits_change_the_version(
    version: Callable[..., dict[str, str]], edit: tuple[str, str, str], changes: bool
) -> None:
    assert (version() != version(edit=edit)) is changes


def test_a_root_through_a_packages_face_is_followed(version: Callable[..., dict[str, str]]) -> None:
    before = version("sample.plugin:answer")
    assert sorted(before) == ["sample.helper", "sample.plugin"]
    assert before != version("sample.plugin:answer", edit=("helper", "LIMIT = 3", "LIMIT = 4"))


def test_a_new_entry_in_a_registry_makes_nothing_stale(version: Callable[..., dict[str, str]]) -> None:
    before = version("sample.helper:looks_up")
    assert before == version("sample.helper:looks_up", edit=("helper", '{"a":', '{"b": "sample.other:x", "a":'))


def test_a_root_that_does_not_exist_is_an_error(version: Callable[..., dict[str, str]]) -> None:
    with pytest.raises(KeyError):
        version("sample.helper:nothing")


def test_every_step_of_every_benchmark_is_covered() -> None:
    graph = benchmarks.graph(params.load(Path(__file__).parents[2] / "params.yaml"))
    reached = {job.name: code_version(job.code_roots) for job in graph.jobs}
    puzzles = reached["generate cvqa-synthetic part-000-of-004"]
    assert {"whatif.imaging.dot_puzzle", "whatif.imaging.flower_puzzle", "whatif.text.puzzle_worlds"} <= set(puzzles)
    assert not any(
        name.startswith(("whatif.graph.run", "whatif.models", "whatif.tables", "whatif.params")) for name in puzzles
    )
    assert "whatif.models.baselines" in reached["evaluate cvqa-synthetic random"]
    assert not any("imaging" in name for name in reached["evaluate cvqa-synthetic random"])
    assert "whatif.tables.c_vqa" in reached["aggregate cvqa-synthetic"]


def test_an_evaluation_depends_on_its_own_adapter_alone() -> None:
    for adapter, place in models.ADAPTERS.items():
        reached = code_version(["whatif.models:load", place])
        others = {other.split(":")[0] for other in models.ADAPTERS.values()} - {place.split(":")[0]}
        assert not others & set(reached), adapter
