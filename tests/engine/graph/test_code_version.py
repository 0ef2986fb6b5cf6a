"""The version of code: which edits change it, and which do not."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.defaults import PARAMS
from tests.engine.graph import toy
from tests.engine.graph.forgetting import forget
from whatif import benchmarks, models
from whatif.engine.graph import code_version as module
from whatif.engine.graph import module_source
from whatif.engine.graph.code_index import package_folders
from whatif.engine.graph.code_version import code_version
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.steps import Benchmark
from whatif.engine.params.whole import check

pytestmark = pytest.mark.slow

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
        forget()
        return code_version([root])

    yield read
    sys.modules.pop("sample", None)
    forget()


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


def test_a_new_entry_in_a_registry_makes_nothing_stale(
    version: Callable[..., dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REGISTRIES", {("sample.helper", "ADAPTERS")})
    before = version("sample.helper:looks_up")
    assert before == version("sample.helper:looks_up", edit=("helper", '{"a":', '{"b": "sample.other:x", "a":'))


FORMS = {
    "relative import of a name": ("from .deep import inner\ndef root():\n    return inner()\n", True),
    "relative import of a module": ("from . import deep\ndef root():\n    return deep.inner()\n", True),
    "import under another name": ("import sample.deep as d\ndef root():\n    return d.inner()\n", True),
    "import inside try": (
        "try:\n    from sample.deep import inner\nexcept ImportError:\n    pass\ndef root():\n    return inner()\n",
        True,
    ),
    "import inside the function": ("def root():\n    from sample.deep import inner\n    return inner()\n", True),
    "a function in a dictionary": (
        "from sample.deep import inner\nTABLE = {'x': inner}\ndef root():\n    return TABLE['x']()\n",
        True,
    ),
    "a decorator": (
        "from sample.deep import inner\n@inner\ndef other():\n    return 1\ndef root():\n    return other()\n",
        True,
    ),
    "a decorator of the root, which declares its step": (
        "from whatif.engine.graph.steps import StepsOf\nfrom sample.deep import Base\nstep = StepsOf(Base)\n"
        "@step('extract', outputs={})\ndef root():\n    return 1\n",
        False,
    ),
    "a default value": ("from sample.deep import inner\ndef root(f=inner):\n    return f()\n", True),
    "a whole module handed over": ("from sample import deep\ndef root():\n    return vars(deep)\n", True),
    "a base class": ("from sample.deep import Base\nclass root(Base):\n    pass\n", True),
    "an annotation": ("from sample.deep import inner\ndef root(x: inner) -> inner:\n    return x\n", False),
}
DEEP = "def inner():\n    return {value}\nclass Base:\n    value = {value}\n"


@pytest.mark.parametrize("form", FORMS)
def test_how_a_name_is_reached(version: Callable[..., dict[str, str]], tmp_path: Path, form: str) -> None:
    source, followed = FORMS[form]
    found = []
    for value in (1, 2):
        version()  # writes the package and forgets what was read
        (tmp_path / "sample" / "form.py").write_text(source, encoding="utf-8")
        (tmp_path / "sample" / "deep.py").write_text(DEEP.format(value=value), encoding="utf-8")
        found.append(code_version(["sample.form:root"]))
    assert (found[0] != found[1]) is followed


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ('def root():\n    return """a\n\nb"""\n', 'def root():\n    return """a\nb"""\n', True),
        ('def root():\n    return """a  \nb"""\n', 'def root():\n    return """a\nb"""\n', True),
        ('def root():\n    return """a # b\n"""\n', 'def root():\n    return """a # c\n"""\n', True),
        ("def root():\n    return f'{1}# b'\n", "def root():\n    return f'{1}# c'\n", True),
        ('def root(): "say"; return 1\n', 'def root(): "say"; return 2\n', True),
        ('def root(): "say"; return 1\n', 'def root(): "tell"; return 1\n', False),
        ("X = '\\x0c'\ndef root():\n    return 1\n", "X = '\\x0c'\ndef root():\n    return 2\n", True),
        ("X = '\u2028'\ndef root():\n    return 1\n", "X = '\u2028'\ndef root():\n    return 2\n", True),
        ("def root():\n    return 1   \n", "def root():\n    return 1\n", False),
        (
            "try:\n    X = 1\nexcept OSError:\n    def root(): return 1\n",
            "try:\n    X = 1\nexcept OSError:\n    def root(): return 2\n",
            True,
        ),
        ("for root in (1, 2): pass\n", "for root in (1, 3): pass\n", True),
    ],
)
def test_texts_and_places_of_definitions(
    version: Callable[..., dict[str, str]], tmp_path: Path, before: str, after: str, changes: bool
) -> None:
    found = []
    for source in (before, after):
        version()
        (tmp_path / "sample" / "form.py").write_text(source, encoding="utf-8")
        found.append(code_version(["sample.form:root"]))
    assert (found[0] != found[1]) is changes


@pytest.mark.parametrize(
    "source",
    [
        "from sample.helper import *\ndef root(): pass\n",
        "L = []\nL.append(1)\ndef root(): pass\n",
        "import sample.helper\ndef root(): pass\n",
    ],
)
def test_what_cannot_be_followed_is_an_error_and_a_benchmarks_package_then_counts_whole(
    version: Callable[..., dict[str, str]], tmp_path: Path, source: str
) -> None:
    version()
    (tmp_path / "sample" / "form.py").write_text(source, encoding="utf-8")
    with pytest.raises(ValueError, match=r"followed|follow"):
        module_source.module_source("sample.form")
    assert list(code_version(["sample.form:root"])) == ["sample"]


def test_methods_of_parameters_are_part_of_a_jobs_code() -> None:
    graph = benchmarks.graph(benchmarks.load_params(PARAMS))
    roots = {job.name: job.code_roots for job in graph.jobs}
    assert "whatif.benchmarks.scenes.settings:AggregateScenes" in roots["aggregate scenes"]
    assert (
        "whatif.benchmarks.cvqa_synthetic.settings:GeneratePuzzles" in roots["generate cvqa-synthetic part-000-of-002"]
    )


def test_every_module_of_the_package_can_be_followed() -> None:
    import pkgutil

    import whatif

    names = [found.name for found in pkgutil.walk_packages(whatif.__path__, "whatif.")]
    assert len(names) > 50
    for name in names:
        if name != "whatif.__main__":  # which only runs the command line
            module_source.module_source(name)


def test_a_root_that_does_not_exist_is_an_error(version: Callable[..., dict[str, str]]) -> None:
    with pytest.raises(KeyError):
        version("sample.helper:nothing")


def test_every_step_of_every_benchmark_is_covered() -> None:
    graph = benchmarks.graph(benchmarks.load_params(PARAMS))
    reached = {job.name: code_version(job.code_roots) for job in graph.jobs}
    puzzles = reached["generate cvqa-synthetic part-000-of-002"]
    assert {
        "whatif.benchmarks.cvqa_synthetic.dot_puzzle",
        "whatif.benchmarks.cvqa_synthetic.flower_puzzle",
        "whatif.benchmarks.cvqa_synthetic.worlds",
    } <= set(puzzles)
    elsewhere = ("whatif.engine.graph.run", "whatif.models", "whatif.results.reporting", "whatif.engine.params.models")
    assert not any(name.startswith(elsewhere) for name in puzzles)
    assert "whatif.models.baselines" in reached["evaluate cvqa-synthetic random part-000-of-002"]
    assert not any("drawing" in name for name in reached["evaluate cvqa-synthetic random part-000-of-002"])
    assert "whatif.benchmarks.cvqa_synthetic.tables.counted" in reached["aggregate cvqa-synthetic"]


def test_an_evaluation_depends_on_its_own_adapter_alone() -> None:
    for adapter, place in models.ADAPTERS.items():
        reached = code_version(["whatif.models:load", place])
        own = {place.split(":")[0]}
        if adapter == "served":  # sends its requests by `api`
            own.add(models.ADAPTERS["api"].split(":")[0])
        if adapter in ("vipergpt", "visprog"):  # programs of a file are found like responses; CLIP is one of the tools
            own |= {models.ADAPTERS[part].split(":")[0] for part in ("vipergpt", "replay", "dual-encoder")}
        others = {other.split(":")[0] for other in models.ADAPTERS.values()} - own
        assert not others & set(reached), adapter


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., module.Followed]]:
    """What is followed from a benchmark's package with a helper package beside it, after an edit of a file."""
    files = {
        "my_bench/__init__.py": "from my_bench.steps import work\n",
        "my_bench/steps.py": "import numpy as np\nfrom my_helper.rules import rule\nimport my_file\n"
        "def work():\n    return rule(np.pi) + my_file.LIMIT\n",
        "my_bench/unused.py": "import my_unused\n",
        "my_helper/__init__.py": "print('a statement of any kind')\n",
        "my_helper/rules.py": "from my_helper.inner import *\nimport scipy\ndef rule(x):\n    return x\n",
        "my_helper/inner.py": "import my_third\nFACTOR = 2\n",
        "my_third.py": "THIRD = 3\n",
        "my_file.py": "LIMIT = 4  # as before\n",
        "my_unused.py": "",
    }
    for name, text in files.items():
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    monkeypatch.chdir(tmp_path)

    def read(name: str = "", text: str = "") -> module.Followed:
        if name:
            (tmp_path / "src" / name).write_text(text, encoding="utf-8")
        forget()
        return module.followed(("my_bench.steps:work",))

    yield read
    for name in ("my_bench", "my_helper", "my_third", "my_file", "my_unused"):
        sys.modules.pop(name, None)


def test_packages_beside_a_benchmarks_own_are_followed_and_installed_ones_are_named(
    plugin: Callable[..., module.Followed], tmp_path: Path
) -> None:
    before = plugin()
    assert sorted(before.code) == ["my_bench.steps", "my_file", "my_helper", "my_third"]
    assert before.libraries == ("numpy", "scipy")
    inside = [path.relative_to(tmp_path).as_posix() for path in package_folders(["my_bench.steps:work"])[:-1]]
    assert inside == ["src/my_bench", "src/my_file.py", "src/my_helper", "src/my_third.py"]
    assert plugin("my_file.py", "LIMIT = 4  # another comment\n") == before
    for name, text in {
        "my_file.py": "LIMIT = 5\n",
        "my_third.py": "THIRD = 4\n",
        "my_helper/inner.py": "import my_third\nFACTOR = 3\n",
        "my_helper/further.py": "MORE = 1\n",
    }.items():
        after = plugin(name, text)
        assert after.code != before.code, name
        before = after


def test_dvc_depends_on_the_packages_beside_a_benchmarks_own(
    plugin: Callable[..., module.Followed], tmp_path: Path
) -> None:
    from dataclasses import replace

    from whatif.engine.workflow.dvc_yaml import dvc_yaml, undeclared

    plugin()
    step = replace(toy.extract, code=("my_bench.steps:work",))
    graph = Graph(
        check(
            {
                "seed": 1,
                "benchmarks": ["toy"],
                "models": {"a": {"adapter": "random"}},
                "generate": {"toy": {"shards": 2, "image_size": 448}},
            },
            {"toy": toy.ToySettings},
            ["toy"],
        ),
        [Benchmark("toy", toy.ToySettings, (step,))],
    )
    deps = yaml.safe_load(dvc_yaml(graph, ()))["stages"]["extract"]["deps"]
    assert deps == ["src/my_bench", "src/my_file.py", "src/my_helper", "src/my_third.py"]
    assert undeclared(graph, "stages: {extract: {deps: [src/my_bench]}}\n") == deps[1:]


def test_each_import_of_a_name_is_followed_and_a_star_of_a_helper(plugin: Callable[..., module.Followed]) -> None:
    for name in ("fast", "slow"):
        plugin(f"my_bench/{name}.py", "def rule() -> int:\n    return 1\n")
    imports = "try:\n    from my_bench.fast import rule\nexcept ImportError:\n    from my_bench.slow import rule\n"
    found = plugin("my_bench/steps.py", f"{imports}def work():\n    return rule()\n")
    assert {"my_bench.fast", "my_bench.slow"} <= set(found.code)
    found = plugin("my_bench/steps.py", "from my_helper import *\ndef work():\n    return rule(1)\n")
    assert {"my_bench", "my_helper"} <= set(found.code)


def test_a_helper_may_have_files_that_are_no_python(plugin: Callable[..., module.Followed], tmp_path: Path) -> None:
    (tmp_path / "src/my_helper/marked.py").write_text("\ufeffMARK = 1\n", encoding="utf-8")
    (tmp_path / "src/my_helper/western.py").write_bytes(b"# -*- coding: latin-1 -*-\nNAME = '\xe9'\n")
    before = plugin("my_helper/template.py", "class {{name}}: ...\n")
    assert plugin("my_helper/template.py", "class {{names}}: ...\n").code != before.code
