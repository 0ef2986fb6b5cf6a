"""A benchmark's own package: no code or file that a job may use escapes, and a plain package is followed by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.defaults import ROOT
from tests.engine.graph.forgetting import forget
from whatif.engine.graph import code_index
from whatif.engine.graph.code_version import code_version, covers
from whatif.engine.graph.plain_modules import not_plain

pytestmark = pytest.mark.slow

BENCHMARK = "from my_own.steps import work\nfrom my_own import rules\n__all__ = ['rules', 'work']\n"
RULES = "def rule(x):\n    return x + 1\n"
# What brings in `rules.py`, or another file, other than by its name; in one of the files is something of `EDITS`.
ESCAPES = {
    "a registry with a decorator": {
        "registry.py": "KNOWN = {}\ndef register(f):\n    KNOWN[f.__name__] = f\n    return f\n",
        "rules.py": f"from my_own.registry import register\n@register\n{RULES}",
        "steps.py": "from my_own.registry import KNOWN\ndef work():\n    return KNOWN['rule'](1)\n",
    },
    "a registry that an assignment fills": {
        "registry.py": "KNOWN = []\ndef register(f):\n    KNOWN.append(f)\n    return f\n",
        "rules.py": f"from my_own.registry import register\n{RULES}\nadded = register(rule)\n",
        "steps.py": "from my_own.registry import KNOWN\ndef work():\n    return KNOWN[0](1)\n",
    },
    "a registry that is set by item": {
        "registry.py": "KNOWN = {}\n",
        "rules.py": f"from my_own.registry import KNOWN\n{RULES}\nKNOWN['rule'] = rule\n",
        "steps.py": "from my_own.registry import KNOWN\ndef work():\n    return KNOWN['rule'](1)\n",
    },
    "an object that registers itself": {
        "registry.py": "KNOWN = []\nclass Rule:\n    def __init__(self, f):\n        KNOWN.append(f)\n",
        "rules.py": f"from my_own.registry import Rule\n{RULES}\nRULE = Rule(rule)\n",
        "steps.py": "from my_own.registry import KNOWN\ndef work():\n    return KNOWN[0](1)\n",
    },
    "singledispatch": {
        "base.py": "from functools import singledispatch\n@singledispatch\ndef rule(x):\n    return x\n",
        "rules.py": "from my_own.base import rule\n@rule.register\ndef _(x: int):\n    return x + 1\n",
        "steps.py": "from my_own.base import rule\ndef work():\n    return rule(1)\n",
    },
    "subclasses": {
        "base.py": "class Rule:\n    pass\n",
        "rules.py": "from my_own.base import Rule\nclass Own(Rule):\n    value = 1\n",
        "steps.py": "from my_own.base import Rule\nwork = lambda: [c.value for c in Rule.__subclasses__()]\n",
    },
    "a hook of a base class": {
        "base.py": "KNOWN = []\nclass Rule:\n    def __init_subclass__(cls):\n        KNOWN.append(cls)\n",
        "rules.py": "from my_own.base import Rule\nclass Own(Rule):\n    value = 1\n",
        "steps.py": "from my_own.base import KNOWN\ndef work():\n    return KNOWN[0].value\n",
    },
    "globals": {"rules.py": "", "steps.py": f"{RULES}def work():\n    return globals()['ru' + 'le'](1)\n"},
    "eval": {"rules.py": "", "steps.py": f"{RULES}def work():\n    return eval('ru' + 'le(1)')\n"},
    "a module by a made-up name": {
        "rules.py": RULES,
        "steps.py": "import importlib as i\ndef work():\n    return i.import_module('my_own.' + 'rules').rule(1)\n",
    },
    "the modules that Python knows": {
        "rules.py": RULES,
        "steps.py": "from sys import modules\ndef work():\n    return modules['my_own.rules'].rule(1)\n",
    },
    "a module that makes its names": {
        "made.py": "def __getattr__(name):\n    from my_own import rules\n    return rules.rule\n",
        "rules.py": RULES,
        "steps.py": "from my_own.made import anything\ndef work():\n    return anything(1)\n",
    },
    "a further decorator of a step": {
        "rules.py": "def doubled(f):\n    return lambda: f() * 2\n",
        "steps.py": "from my_own.rules import doubled\n@doubled\ndef work():\n    return 1\n",
    },
    "a file of data": {
        "rules.py": "",
        "words.json": "[1]",
        "steps.py": "from pathlib import Path\n"
        "def work():\n    return Path(__file__).with_name('words.json').read_text()\n",
    },
    "a star": {"rules.py": RULES, "steps.py": "from my_own.rules import *\ndef work():\n    return rule(1)\n"},
    "a statement": {
        "registry.py": "KNOWN = []\n",
        "rules.py": f"from my_own.registry import KNOWN\n{RULES}\nKNOWN.append(rule)\n",
        "steps.py": "from my_own.registry import KNOWN\ndef work():\n    return KNOWN[0](1)\n",
    },
    "a module named like one of Python's": {
        "rules.py": "",
        "../sched.py": RULES,
        "steps.py": "import sched\ndef work():\n    return sched.rule(1)\n",
    },
}
EDITS = {"x + 1": "x + 2", "value = 1": "value = 2", "f() * 2": "f() * 3", "[1]": "[2]"}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the package `my_own`, which can be imported; its version is kept in an index beside it."""
    folder = tmp_path / "src" / "my_own"
    folder.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.chdir(tmp_path)
    forget()
    yield folder
    sys.modules.pop("my_own", None)
    forget()


def write(package: Path, files: dict[str, str]) -> None:
    for name, text in {"__init__.py": BENCHMARK, **files}.items():
        (package / name).write_text(text, encoding="utf-8")


def version() -> dict[str, str]:
    forget()
    found = code_index.code_version(["my_own.steps:work"])
    code_index.keep()
    return found


@pytest.mark.parametrize("means", ESCAPES)
def test_what_a_package_brings_in_without_its_name_is_part_of_the_version(package: Path, means: str) -> None:
    write(package, ESCAPES[means])
    before = version()
    assert version() == before
    [(edited, old)] = [(name, old) for name, text in ESCAPES[means].items() for old in EDITS if old in text]
    write(package, {edited: ESCAPES[means][edited].replace(old, EDITS[old])})
    assert version() != before


PLAIN = {
    "__init__.py": BENCHMARK,
    "rules.py": """
from __future__ import annotations
import re
from dataclasses import dataclass
from functools import cache
from whatif.engine.graph.steps import StepsOf
from whatif.engine.params.base import Settings
WORD = re.compile("[a-z]+")
NAMES = tuple(sorted("b a".split()))
step = StepsOf(Settings)
@dataclass(frozen=True)
class Rule:
    name: str
    @property
    def short(self):
        return self.name[:1]
RULES = {"a": Rule("a")}
@cache
def rule(x):
    return WORD.fullmatch(str(x))
def unused(x):
    return 1
""",
    "steps.py": """
from pathlib import Path
from my_own.rules import Rule, rule, step
ONE = Rule("one")
@step("extract", outputs={})
def work(task: Path):
    return rule(ONE.name)
""",
}


def test_a_plain_package_is_followed_by_name(package: Path) -> None:
    write(package, PLAIN)
    before = version()
    assert {name for name in before if name.startswith("my_own")} == {"my_own.steps", "my_own.rules"}
    for old, new in {"return 1\n": "return 2\n", "import re\n": "import re  # a comment\n"}.items():
        write(package, {**PLAIN, "rules.py": PLAIN["rules.py"].replace(old, new)})
        assert version() == before, new
    write(package, {**PLAIN, "rules.py": PLAIN["rules.py"].replace("[a-z]+", "[a-z]*")})
    assert version() != before


@pytest.mark.parametrize(
    ("folder", "modules"),
    [
        ("src/whatif/commands/new_project/template/src", ["my_benchmark.steps", "my_benchmark.settings"]),
        ("tests/toy_package", ["whatif_coins"]),
    ],
)
def test_the_packages_that_show_how_are_plain(folder: str, modules: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / folder))
    forget()
    assert [not_plain(module) for module in modules] == [""] * len(modules)
    forget()


def test_a_package_that_counts_whole_brings_in_what_it_uses_of_whatif(package: Path) -> None:
    steps = (
        "from whatif.engine.random_streams import stream\n"
        "import whatif.engine.files.stamps\ndef work():\n    return eval('stream')\n"
    )
    write(package, {"rules.py": RULES, "steps.py": steps})
    found = version()
    assert {"my_own", "whatif.engine.random_streams", "whatif.engine.files.stamps"} <= set(found)
    assert code_version(["my_own.steps:work"]) == found
    assert covers(["my_own.steps:work"], "my_own.rules:rule")
    assert not covers(["my_own.steps:work"], "whatif.scoring.statistics:clustered_share")
