"""Names of new benchmarks: which are allowed, and what is said about the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from whatif.benchmarks import discovery
from whatif.commands.new_project import Names, checked_names
from whatif.engine.errors import WhatifError


@pytest.mark.parametrize("name", ["my-benchmark", "vqa2", "a-1-b", "what-if-counting", "x" * 30])
def test_a_good_name_gives_that_of_the_package_and_the_title(name: str) -> None:
    names = checked_names(name, discovery.modules())
    assert names == Names(name)
    assert names.package.isidentifier() and names.package.replace("_", "-") == name
    assert names.title == names.title.strip() and names.title[0] == name[0].upper()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("My Benchmark!", "joined by hyphens, for example my-benchmark"),
        ("my_benchmark", "for example my-benchmark"),
        ("CountingCats", "for example counting-cats"),
        ("2nd-try", "for example nd-try"),
        ("über", "for example ber"),
        ("", "for example my-benchmark"),
        ("?", "for example my-benchmark"),
        ("-x", "for example x"),
        ("a--b", "for example a-b"),
        ("../elsewhere", "for example elsewhere"),
        ("a\nb", "for example a-b"),
        ("x" * 31, "has 31 characters; a name has at most 30"),
        ("site", "whatif uses this name itself; choose another, for example my-site"),
        ("evaluate", "whatif uses this name itself"),
        ("tests", "whatif uses this name itself"),
        ("class", "Python uses this name itself"),
        ("json", "Python uses this name itself"),
        ("numpy", "there is an installed Python package of this name; choose another"),
        ("scikit-learn", "there is an installed Python package of this name"),  # the distribution, imported as sklearn
    ],
)
def test_any_other_name_is_refused_in_one_line_that_helps(name: str, said: str) -> None:
    with pytest.raises(WhatifError) as refused:
        checked_names(name, {})
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_an_installed_benchmark_can_only_be_uninstalled_if_it_is_not_of_whatif() -> None:
    with pytest.raises(WhatifError, match=r"installed benchmark of this name; choose another$"):
        checked_names("mucr", discovery.modules())
    with pytest.raises(WhatifError, match=r"choose another, or uninstall it \(`pip uninstall coins`\)$"):
        checked_names("coins", {"coins": "whatif_coins"})


def test_a_folder_beside_the_command_is_no_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)
    (folder / "my_benchmark").mkdir()
    assert checked_names("my-benchmark", {}).package == "my_benchmark"
    (folder / "my_benchmark" / "__init__.py").touch()
    with pytest.raises(WhatifError, match="there is an installed Python package"):
        checked_names("my-benchmark", {})
