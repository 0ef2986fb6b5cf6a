"""The pages of a built site: links, escaping, what each of them shows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from markupsafe import Markup

from tests.results.site.example_results import (
    IDENTITY,
    bare,
    measured,
    of_pairs,
    reported,
    source,
    table,
    write_results,
)
from tests.results.site.links import Page, faults
from whatif.results.reporting.funnel import FunnelStage, funnel
from whatif.results.reporting.report import Report
from whatif.results.reporting.shortcuts import shortcuts
from whatif.results.reporting.table import tidy
from whatif.results.site import assets
from whatif.results.site.audits import best_shortcuts, funnel_rows
from whatif.results.site.build import ExtraPage, build
from whatif.results.site.figures import figures_of
from whatif.results.site.layout import Entry, page, with_navigation
from whatif.results.site.marks import Number, dots, share_bar
from whatif.results.site.overview import overview_page, summary
from whatif.results.site.paired_results import paired_results
from whatif.results.site.result_tables import main_table
from whatif.scoring.shortcuts.audit import Shortcut


def text(results: Path, path: str) -> str:
    return (results / path).read_text(encoding="utf-8")


def test_no_link_is_dead_no_id_occurs_twice_and_all_images_have_text(results: Path) -> None:
    assert faults(results) == []


def test_the_crawler_finds_faults(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="x"></p><p id="x"></p><a href="b.html"></a><a href="#y"></a><img src="a.html">'
        '<a href="https://example.org/"></a><svg></svg><a href="#item=3"></a>'
    )
    assert [one.removeprefix("a.html: ") for one in faults(tmp_path)] == [
        "b.html does not exist",
        "#y has no such anchor",
        "https://example.org/ leads out of the site",
        "the id x occurs 2 times",
        "img a.html has no text alternative",
        "svg has no text alternative",
    ]


def test_the_same_sources_give_the_same_bytes(results: Path, tmp_path: Path) -> None:
    files = [path for path in results.rglob("*") if path.is_file()]
    assert write_results(tmp_path) == {path.relative_to(results).as_posix(): path.read_bytes() for path in files}


def test_all_text_is_escaped(results: Path) -> None:
    for path in results.rglob("*.html"):
        assert "<script>alert" not in path.read_text(encoding="utf-8"), path
    assert "&lt;script&gt;alert" in text(results, "index.html")


def test_every_page_links_to_all_others(results: Path) -> None:
    for path in results.rglob("*.html"):
        root = "../" * (len(path.relative_to(results).parts) - 1)
        names = ("index.html", "bench/index.html", "bare/index.html", "contradictions.html")
        assert {f"{root}{name}" for name in names} <= set(Page(path.read_text(encoding="utf-8")).references), path


def test_the_navigation_says_where_a_page_is(results: Path) -> None:
    tables = text(results, "bench/tables.html")
    assert '<a href="../bench/index.html" aria-current="true">' in tables
    assert '<a href="tables.html" aria-current="page">Tables</a>' in tables
    assert '<li aria-current="page">Tables</li>' in tables
    assert '<a href="index.html" aria-current="page">Overview</a>' in text(results, "index.html")
    assert '<a href="contradictions.html" aria-current="page">' in text(results, "contradictions.html")


def test_the_overview_shows_our_systems_with_intervals(results: Path) -> None:
    overview = text(results, "index.html")
    assert 'aria-label="original 90.0 (85.0 to 95.0); counterfactual 40.0 (35.0 to 45.0)"' in overview
    assert '50.0 <span class="range">45.0 to 55.0</span>' in overview
    assert "80.5" not in overview  # reported
    assert "The set in percent." in overview and '<a href="bare/tables.html#set">The whole table</a>' in overview
    assert "up to 40.0% (original: always option 1 from below)" in overview
    assert "What was built: 8 images; rejected: 2 images" in overview
    assert "<b>200</b> pairs: 200 counts" in overview


def test_the_overview_and_the_summary_say_what_a_benchmark_is(results: Path) -> None:
    about = "What &lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; &amp; more is.</p>"
    assert f"<p>{about}" in text(results, "index.html")
    assert f'<p class="lead">{about}' in text(results, "bench/index.html")
    assert 'class="lead"' not in text(results, "bare/index.html")


def test_a_benchmark_shows_each_group_and_its_reported_systems_last(results: Path) -> None:
    shown = text(results, "bench/index.html")
    assert re.findall(r"<h3>([\w ]+)", shown) == ["All pairs ", "Counts ", "Building", "Evaluation"]
    counts = shown.split("<h3>Counts")[1].split("</table>")[0]
    assert re.findall(r'<th scope="row">([^<]+)', counts)[-1] == "Alpha (reported)"
    assert "too small: 2" in shown
    assert "<h2>The set</h2>" in text(results, "bare/index.html")


def test_a_benchmark_without_pairs_shows_our_rows_of_its_first_table(tmp_path: Path) -> None:
    rows = [reported("Beta", "accuracy", "90.5"), measured("Alpha", "accuracy", 80.0)]
    found = main_table(source("mixed", Report("Mixed", [table("first", "First", rows)], {})))
    assert found is not None and "80.0" in found.html and "90.5" not in found.html
    only = main_table(source("theirs", Report("Theirs", [table("first", "First", rows[:1])], {})))
    assert only is None
    assert "This benchmark has no table of pairs" in overview_page([summary(source("no", Report("No", [], {})), [])])


def test_the_overview_says_what_the_results_are_in_sentences_and_one_table(results: Path) -> None:
    shown = text(results, "index.html").split("<h1>")[1].split("<section")[0]
    found = re.findall(r'<li><a href="([^"]+)">([^<]+)', shown)
    assert [path for path, _ in found] == ["#results", "bench/index.html", "bench/index.html"]
    assert re.match(r"\d of \d results of models (is|are) lower on counterfactual questions", found[0][1])
    assert (
        found[1][1].startswith("The largest drop: “Alpha” answers")
        and "of the counterfactual questions of Pairs of things" in found[1][1]
    )
    shortcut = "the best of 2 rules, “always option 1 from below”, is right for 40.0% (30.9 to 49.8) of 100 questions"
    assert found[2][1] == f"Without any image, {shortcut} of Pairs of things (original)."
    assert 'id="results"' in shown and 'scope="rowgroup"' in shown


def test_a_benchmark_without_items_has_no_page_of_items(results: Path) -> None:
    assert not (results / "bare/items.html").exists() and not (results / "bare/data").exists()
    for path in ("index.html", "bare/index.html", "bare/tables.html"):
        assert "bare/items.html" not in text(results, path)
    assert 'href="items.html"' in text(results, "bench/tables.html")
    assert 'href="items.html"' not in text(results, "bare/tables.html")


def test_groups_that_overlap_are_not_told_as_parts_of_the_pairs() -> None:
    frame = tidy([measured("Alpha", "original", 90.0, group=group) for group in ("all", "caption", "image")], IDENTITY)
    found = summary(replace(bare(), frames={"paired": frame}), [])
    assert found.facts[-1] == ("200", "pairs")


def test_what_was_built_is_told_by_unit() -> None:
    stages = [
        FunnelStage("extract", "questions", 9, 9, {}),
        FunnelStage("filter", "candidates", 10, 3, {"unlike": 7}),
        FunnelStage("verify", "pairs", 3, 2, {"wrong": 1}),
        FunnelStage("verify", "questions", 9, 9, {}),
        FunnelStage("evaluate alpha", "questions", 9, 9, {}),
        FunnelStage("train alpha", "questions", 5, 5, {}),
    ]
    found = summary(replace(bare(), frames={"funnel": funnel(stages).frame}), [])
    assert [row.stage for row in found.evaluation] == ["evaluate alpha", "train alpha"]
    assert found.built == "2 pairs, 9 questions; rejected: 7 candidates, 1 pairs"


def test_tables_stand_beside_the_reported_ones(results: Path) -> None:
    tables = text(results, "bench/tables.html")
    assert "3 numbers of ours stand beside a reported one; 3 differ." in tables
    assert '<td class="n">+9.5</td><td class="outside">≠ outside</td>' in tables
    assert "Nothing is compared: 1 reported number is of other systems than ours." in tables
    assert "<dt>Reported</dt><dd>Beta</dd>" in tables
    assert (results / "bench/tables/paired.csv").read_bytes() == of_pairs().files["paired.csv"]


def test_figures_have_their_files_titles_and_data(results: Path) -> None:
    figures = text(results, "bench/figures.html")
    assert '<figure id="drops">\n<h2>Pairs</h2>' in figures
    assert re.search(r'<img src="figures/drops.svg" alt="[^"]+" width="\d+" height="\d+"', figures)
    assert '<a href="tables/paired.csv">Data (CSV)' in figures
    assert (results / "bench/figures/drops.svg").read_bytes() == of_pairs().figures["drops.svg"]
    assert "This benchmark has no figures." in text(results, "bare/figures.html")


def test_the_title_of_a_figure_is_escaped_once() -> None:
    drawn = b'<svg width="9pt" height="9pt"><title>Drops &amp; sums</title></svg>'
    (figure,) = figures_of(replace(bare(), figures={"drops.svg": drawn}))
    assert figure.title == "Drops & sums"


def test_pages_have_no_inline_handlers_or_scripts(results: Path) -> None:
    for path in results.rglob("*.html"):
        found = path.read_text(encoding="utf-8")
        assert not re.search(r"<[^>]+\son[a-z]+=", found), path
        assert not re.search(r"<script(?![^>]*\ssrc=)", found), path


def test_two_pages_cannot_have_the_same_path() -> None:
    with pytest.raises(ValueError, match=r"same path: bare/index\.html"):
        build([bare(), bare()], lambda *_: None, lambda *_: None)


def test_a_further_page_may_be_in_a_folder() -> None:
    made: dict[str, bytes] = {}
    build([], made.__setitem__, made.__setitem__, [ExtraPage("more/x.html", "More", Markup("<p>Text</p>"))])
    assert b'href="../assets/site.css"' in made["more/x.html"]
    assert b'href="../index.html"' in made["more/x.html"]


def test_a_page_of_another_maker_has_no_place_for_the_navigation() -> None:
    with pytest.raises(ValueError, match=r"x\.html: was not made by `page`"):
        with_navigation("<p>Text</p>", "x.html", [])


def test_scripts_and_styles_are_found_from_the_page() -> None:
    html = page("T", "<p></p>", depth=2, scripts=("assets/a.js",), styles=("assets/a.css",), active="b")
    assert '<script src="../../assets/a.js" defer></script>' in html
    assert '<link rel="stylesheet" href="../../assets/a.css">' in html
    assert "<title>&lt;T&gt; · whatif</title>" in page("<T>", "", depth=0)
    entry = Entry("b", "b/index.html", "B & C")
    assert "B &amp; C" in with_navigation(html, "b/c/d.html", [entry])


def test_all_styles_and_scripts_are_published() -> None:
    package = Path(assets.__file__).parent
    assert {path.name for path in (package / "assets").iterdir() if path.is_file()} == set(assets.STATIC)


def test_marks_are_on_the_axis() -> None:
    drawn = dots([("original", "original", Number(0.0)), ("counterfactual", "counterfactual", Number(120.0, 90, 130))])
    assert 'cx="13"' in drawn
    assert "M172.5 " in drawn  # the diamond of a number above 100 is at the end of the axis
    assert 'aria-label="original 0.0; counterfactual 120.0 (90.0 to 130.0)"' in drawn


def test_bars_show_shares() -> None:
    assert 'width="94.5"' in share_bar(1, 2, "half")
    assert 'class="kept" x="0.5" y="1.5" width="0"' in share_bar(0, 0, "nothing came in")
    assert "&lt;b&gt;" in share_bar(1, 2, "<b>")


def test_tables_with_other_columns_give_nothing() -> None:
    frames = {name: pd.DataFrame({"x": [1]}) for name in ("paired", "shortcuts", "funnel")}
    assert (paired_results(frames), best_shortcuts(frames), funnel_rows(frames)) == ([], [], [])


def test_tables_of_a_further_page_scroll_in_regions(results: Path) -> None:
    shown = text(results, "contradictions.html")
    assert "<h1>Contradictions</h1>" in shown
    assert re.findall(r'role="region" aria-label="([^"]+)"', shown) == ["Sums &amp; means", "Contradictions, table 2"]


def test_the_best_shortcut_is_none_of_a_few_questions_and_none_that_knows_an_answer() -> None:
    rules = (("rank", "1", 60, 100), ("other-options", "never the option", 6, 8), ("same-answer", "", 95, 100))
    table = shortcuts({"ours": [Shortcut(rule, "all", choice, right, n) for rule, choice, right, n in rules]})
    (best,) = best_shortcuts({"shortcuts": table.frame})
    assert (best.shortcut, best.number.text, best.tried) == ("always option 1 from below", "60.0", 2)
