"""The picture of the site in README.md: `python -m docs.building.screenshot [SITE]` takes it with Chromium.

It shows the first benchmark of the overview. The picture is committed; a run on another machine has other fonts, so no
test compares its bytes.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from pathlib import Path

from docs.numbers.markdown import ROOT

FILE = ROOT / "docs" / "images" / "site.png"
_WIDTH, _HEIGHT = 1280, 700
_COLOURS = 160  # they hardly differ from all, and take a third of the bytes


def main() -> None:
    """Takes the picture, and writes it with few colours."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    site = Path(sys.argv[1] if sys.argv[1:] else "site").resolve()
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None or not (site / "index.html").is_file():
        sys.exit(f"needs Chromium, and a site in {site}: run `make repro` and `whatif site`")
    with sync_playwright() as driver:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # the browser's own does not work for root
        browser = driver.chromium.launch(executable_path=browser_path, args=sandbox)
        page = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT}, color_scheme="light")
        page.goto((site / "index.html").as_uri())
        heading = page.locator("h2").first.bounding_box()
        assert heading
        shown = {"x": 0, "y": heading["y"] - 20, "width": _WIDTH, "height": _HEIGHT}
        taken = page.screenshot(full_page=True, clip=shown)  # type: ignore[arg-type]
        browser.close()
    image = Image.open(io.BytesIO(taken)).convert("RGB").quantize(_COLOURS)
    image.save(FILE, optimize=True)
    print(f"{FILE.relative_to(ROOT)}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
