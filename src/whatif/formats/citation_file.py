"""Reads and writes CITATION.cff, the Citation File Format 1.2.0 that GitHub, Zenodo and Zotero read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from whatif.engine.errors import WhatifError
from whatif.engine.params.files import read_yaml

CITATION = "CITATION.cff"
Entry: TypeAlias = Mapping[str, Any]

_LICENCES = ("CC0-1.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0")


def authors_and_references(path: Path) -> tuple[list[Entry], list[Entry]]:
    """The `authors` and the `references` of a CITATION.cff.

    Raises WhatifError when the file cannot be read, or when an author has no name.
    """
    values, _ = read_yaml(path, "give the authors of the data with --creator")
    found = values if isinstance(values, dict) else {}
    authors = found.get("authors") or []
    if not isinstance(authors, list) or not authors or not all(map(_has_name, authors)):
        raise WhatifError(f"{path}: authors: each needs `name`, or `family-names` and `given-names`")
    references = found.get("references") or []
    return authors, [one for one in references if isinstance(one, dict) and one.get("title")]


def _has_name(author: Any) -> bool:
    return isinstance(author, dict) and any(isinstance(author.get(key), str) for key in ("name", "family-names"))


def author_name(author: Entry) -> str:
    """An author's name as it is printed."""
    parts = (author.get("given-names"), author.get("name-particle"), author.get("family-names"))
    return str(author.get("name") or " ".join(str(part) for part in parts if part))


def citation_file(
    *,
    title: str,
    abstract: str,
    message: str,
    authors: Sequence[Entry],
    version: str,
    licences: Sequence[str],
    keywords: Sequence[str],
    references: Sequence[Entry],
    url: str = "",
    date: str = "",
) -> bytes:
    """A CITATION.cff of a data set. Licences that the format does not know by an identifier are left out."""
    known = [licence for licence in licences if licence in _LICENCES]
    content = {
        "cff-version": "1.2.0",
        "message": message,
        "type": "dataset",
        "title": title,
        "abstract": abstract,
        "authors": [dict(author) for author in authors],
        "version": version,
        **({"date-released": date} if date else {}),
        **({"license": known[0] if len(known) == 1 else known} if known else {}),
        **({"url": url} if url else {}),
        "keywords": list(keywords),
        "references": [dict(reference) for reference in references],
    }
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
    return text.encode()
