"""Hooks of MkDocs (`mkdocs.yml`): pages that are written from the code, and links to files outside `docs/`.

Pages in `docs/` are read in two places: on GitHub, and in the site. What only GitHub can resolve is changed here, page
by page, while the site is built; no file is written but those of the site.
"""

from __future__ import annotations

import os
import posixpath
import re
import sys
from collections.abc import Callable
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
for _folder in (ROOT, ROOT / "src"):  # `mkdocs` does not start in the project's folder as `python -m` does
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

from docs.building import reference  # noqa: E402
from whatif.engine.files.page_policy import hashed  # noqa: E402

REPOSITORY = "repository"
PAGES_OF_ROOT = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md"}
NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"  # what changed is no answer to what is
GENERATED: dict[str, Callable[[], str]] = {
    "reference/command-line.md": reference.command_line,
    "reference/params.md": reference.parameters,
    "reference/file-formats.md": reference.file_formats,
}
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?(?=\))")
_CHARSET = '<meta charset="utf-8">'
_OWN_SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)(?![^>]*application/json)[^>]*>(.*?)</script>", re.DOTALL)
# For a page that is opened from a folder, Firefox takes no file for `self`, so `file:` is named too. The theme writes
# styles into its elements, and the search reads its index from the site.
_POLICY = (
    "default-src 'none'; script-src 'self' file: {scripts}; style-src 'self' file: 'unsafe-inline'; "
    "img-src 'self' file: data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
_NUMBER_COMMENT = re.compile(r"<!-- /?\w[\w ,-]* -->")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages, the pages of the root, and the files of the repository that pages link to."""
    for path, written in GENERATED.items():
        files.append(File.generated(config, path, content=written()))
    for name, path in PAGES_OF_ROOT.items():
        head = NOT_SEARCHED if path == "changes.md" else ""
        files.append(File.generated(config, path, content=head + (ROOT / name).read_text(encoding="utf-8")))
    for path in sorted(_linked_files(files)):
        files.append(File.generated(config, f"{REPOSITORY}/{path}", abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page without the comments around its numbers, and with links that the site can resolve."""
    return _NUMBER_COMMENT.sub("", _with_links(markdown, page.file.src_uri))


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """The page with a policy that lets a browser run the site's own scripts alone."""
    return _with_policy(output)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """The same for pages that are made of no Markdown, such as the one for unknown addresses."""
    return _with_policy(output_content) if template_name.endswith(".html") else output_content


def _with_policy(page: str) -> str:
    scripts = " ".join(dict.fromkeys(hashed(script) for script in _OWN_SCRIPT.findall(page)))
    before, charset, after = page.partition(_CHARSET)
    if not charset:
        raise ValueError(f"a page of the theme has no {_CHARSET}, after which its policy belongs")
    policy = _POLICY.format(scripts=scripts)
    return f'{before}{charset}\n<meta http-equiv="Content-Security-Policy" content="{policy}">{after}'


def _linked_files(files: Files) -> set[str]:
    """The files outside `docs/` that pages link to, by their path in the repository."""
    found = set()
    for file in files.documentation_pages():
        for target in _LINK.finditer(file.content_string):
            path = _in_repository(target[1], file.src_uri)
            if not path.startswith("docs/") and path not in PAGES_OF_ROOT and (ROOT / path).is_file():
                found.add(path)
    return found


def _with_links(markdown: str, page: str) -> str:
    def replaced(link: re.Match[str]) -> str:
        target = _on_site(_in_repository(link[1], page))
        if target is None:
            return link[0]
        return os.path.relpath(target, posixpath.dirname(page) or ".") + (link[2] or "")

    return _LINK.sub(replaced, markdown)


def _on_site(path: str) -> str | None:
    """Where the site has a file of the repository; None if it does not have it."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path in PAGES_OF_ROOT:
        return PAGES_OF_ROOT[path]
    return f"{REPOSITORY}/{path}" if (ROOT / path).is_file() else None


def _in_repository(target: str, page: str) -> str:
    """A link's path from the root of the repository."""
    written = next((name for name, path in PAGES_OF_ROOT.items() if path == page), f"docs/{page}")
    return posixpath.normpath(posixpath.join(posixpath.dirname(written), target))
