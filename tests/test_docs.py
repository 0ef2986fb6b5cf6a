"""README.md and docs/: numbers equal those of their source files, and links and named files exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from itertools import chain
from pathlib import Path

import click
import pytest
import yaml
from pydantic import TypeAdapter

from docs import tables
from docs.numbers.markdown import ROOT
from docs.tables import names, pages, released_questions, updated, with_block
from whatif.commands.cli import main
from whatif.engine.params.models import ModelSettings
from whatif.formats.c_vqa import read_released
from whatif.scoring.shortcuts.features import by_rank

COMMAND = "run `python -m docs.tables` (`make numbers`) to write the numbers of metrics/ into the pages"


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_numbers_of_pages_are_those_of_the_files(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert updated(text) == text, COMMAND


def test_pages_have_all_the_blocks_there_are() -> None:
    there = {name for page in pages() for name in names(page.read_text(encoding="utf-8"))}
    assert there == {*tables.NUMBERS, *tables.RELEASED, *tables.SIMULATED}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_comment_begins_a_line_only_where_it_is_alone(page: Path) -> None:
    """Markdown takes a line that begins with a comment for HTML, and the paragraph before it for finished."""
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("<!--") and not re.fullmatch(r"<!-- /?[\w ,-]+ -->", line)] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_python_files_that_a_page_names_exist(page: Path) -> None:
    """A path starts at the root of the project or in src/whatif; a bare name may be in any package."""
    named = re.findall(r"(?<![\w/.*-])[\w/.*-]+\.py\b", page.read_text(encoding="utf-8"))
    package = ROOT / "src" / "whatif"
    exists = {name: bool([*ROOT.glob(name), *package.glob(name if "/" in name else f"**/{name}")]) for name in named}
    assert [name for name in named if not exists[name]] == []


def test_what_proves_a_promise_is_in_make_test() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    for file, name in named:
        module = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        (test,) = [one for one in module.body if isinstance(one, ast.FunctionDef) and one.name == name]
        assert "pytest.mark.soak" not in map(ast.unparse, test.decorator_list), name


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_commands_and_options_of_whatif_on_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    shown = re.findall(r"^whatif [^#\n]*", text, flags=re.MULTILINE) + re.findall(r"`(whatif [^`\n]*)`", text)
    unknown = [line.strip() for line in shown if not is_known(line.split()[1:], main)]
    assert unknown == []


def is_known(words: list[str], command: click.Command, parent: click.Context | None = None) -> bool:
    """Whether the subcommands that the words name exist, and have all options among the words, up to a lone `--`."""
    # Click keeps a command's help option as the first context has it, so the context is made as for a real call.
    context = click.Context(command, parent, **command.context_settings)
    if isinstance(command, click.Group) and words and not words[0].startswith("-"):
        if words[0].isupper():  # a placeholder
            return True
        found = command.get_command(context, words[0])
        return found is not None and is_known(words[1:], found, context)
    own = words[: words.index("--")] if "--" in words else words
    options = {name for one in command.get_params(context) for name in one.opts}
    return {word.partition("=")[0] for word in own if word.startswith("--")} <= options


def test_an_unknown_command_or_option_is_found() -> None:
    assert not is_known(["restart"], main) and not is_known(["responses", "join"], main)
    assert not is_known(["resume", "--door", "dvc"], main) and is_known(["responses", "merge", "a.sqlite"], main)
    assert is_known(["resume", "--entry-point", "snakemake", "--", "--cores", "8"], main)


def test_entries_of_models_on_their_pages_are_settings() -> None:
    """An entry with `...` for a value is only a part of one."""
    settings: TypeAdapter[object] = TypeAdapter(ModelSettings)
    files = [ROOT / "docs" / f"{name}.md" for name in ("models", "local-models", "endpoints", "programs")]
    blocks = [re.findall(r"^```yaml\n(models:\n.*?)^```", file.read_text("utf-8"), re.M | re.S) for file in files]
    assert all(blocks)
    entries = [entry for text in chain(*blocks) for entry in yaml.safe_load(text)["models"].values()]
    entries.append(yaml.safe_load((ROOT / "examples/smollm2.yaml").read_text("utf-8"))["smollm2"])
    whole = [entry for entry in entries if "..." not in entry.values()]
    assert len(whole) > 20
    for entry in whole:
        settings.validate_python(entry)


def test_make_real_puts_its_entry_under_the_models() -> None:
    lines = (ROOT / "params.yaml").read_text("utf-8").splitlines(keepends=True)
    assert lines.count("models:\n") == 1
    place = lines.index("models:\n") + 1
    lines.insert(place, (ROOT / "examples/smollm2.yaml").read_text("utf-8"))
    ours = yaml.safe_load("".join(lines))
    entry = ours["models"].pop("smollm2")
    assert ours == yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    assert set(entry["benchmarks"]) <= set(ours["benchmarks"])


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_relative_links_of_a_page_resolve(page: Path) -> None:
    missing = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = page.parent / path if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            missing.append(target)
    assert missing == []


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, formed as GitHub forms them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_another_number_in_the_metrics_is_another_number_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "metrics/cvqa-synthetic/table7.csv"
    shipped = (ROOT / name).read_text(encoding="utf-8")
    [pairs] = re.findall(r"^random,.*,drop,.*,(\d+),[^,]*$", shipped, flags=re.MULTILINE)
    changed = shipped.replace(pairs, "2999")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(changed, encoding="utf-8")
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    page = "It draws <!-- pairs -->3,000<!-- /pairs --> puzzles.\n\n<!-- table7 -->\nold\n<!-- /table7 -->\n"
    made = updated(page)
    assert made.startswith("It draws <!-- pairs -->2,999<!-- /pairs --> puzzles.\n\n<!-- table7 -->\n| Model | From |")
    assert "| Random | ours |" in made and "old" not in made
    assert updated(made) == made


def test_blocks_that_are_not_known_or_not_closed_are_errors() -> None:
    with pytest.raises(ValueError, match="block `table8` is not known"):
        updated("<!-- table8 -->1<!-- /table8 -->")
    with pytest.raises(ValueError, match="each is closed before the next"):
        names("<!-- pairs -->3,000")
    with pytest.raises(ValueError, match="no block `pairs`"):
        with_block("nothing", "pairs", "1")


def test_best_letter_and_rank_of_the_released_set_are_those_of_the_page() -> None:
    """The forest, which takes 20 seconds, is the soak test's."""
    released = released_questions()
    if not released:
        pytest.skip("WHATIF_DATA names no folder with the released C-VQA-Synthetic")
    text = (ROOT / "docs/cvqa-synthetic.md").read_text(encoding="utf-8")
    rows = {line.split("|")[1].strip(): line.split("|")[2:4] for line in block(text, "released shortcuts")[2:]}
    for variant, cells in rows.items():
        asked = [row for row in read_released(released) if row["variant"] == variant]
        letters = Counter(row["answer"] for row in asked)
        ranks = Counter(by_rank(row["choices"]).index("ABCD".index(row["answer"])) for row in asked)
        best = [f"{100 * max(counts.values()) / len(asked):.1f}" for counts in (letters, ranks)]
        assert [cell.split("(")[0].strip() for cell in cells] == best
    audit = (ROOT / "docs/audit.md").read_text(encoding="utf-8")
    for name in ("largest option", "largest option, most kept"):
        assert f"<!-- {name} -->{tables.RELEASED[name](released)}<!-- /{name} -->" in audit, COMMAND


@pytest.mark.soak
def test_everything_about_the_released_set_is_as_on_the_pages() -> None:
    released = released_questions()
    if not released:
        pytest.skip("WHATIF_DATA names no folder with the released C-VQA-Synthetic")
    for page in pages():
        text = page.read_text(encoding="utf-8")
        assert tables.with_released(text, released) == text, COMMAND


def block(text: str, name: str) -> list[str]:
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", text, flags=re.DOTALL)
    assert found
    return found[1].split("\n")
