"""The sites of the example items and of the example results, and the item browser in Chromium."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from tests.results.site.chromium import Open
from tests.results.site.example_items import paired, write_site
from tests.results.site.example_results import write_results
from tests.results.site.test_item_files import in_shards

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the items; no test may change the site."""
    return write_site(paired(), tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same page with an index in shards."""
    with pytest.MonkeyPatch.context() as patched:
        in_shards(patched)
        return write_site(paired(), tmp_path_factory.mktemp("shards"))


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site of results, which no test may change."""
    folder = tmp_path_factory.mktemp("results")
    write_results(folder)
    return folder


@pytest.fixture
def show(open_page: Open, site: Path) -> Callable[..., Page]:
    """Opens the items with a state, and waits until they are shown."""

    def opened(state: Mapping[str, str] | None = None, path: Path = site, **options: Any) -> Page:
        page = open_page(path, f"#{urlencode(state)}" if state else "", **options)
        page.wait_for_selector("#items:not([aria-busy])")
        return page

    return opened
