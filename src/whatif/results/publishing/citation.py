"""How a published benchmark is cited: BibTeX, and its CITATION.cff."""

from __future__ import annotations

import whatif
from whatif.formats.citation_file import author_name, citation_file
from whatif.results.publishing.facts import Facts

KEYWORDS = ("counterfactual", "vision-language", "benchmark")


def bibtex(facts: Facts, version: str) -> str:
    """A BibTeX entry of the data set."""
    authors = " and ".join(
        f"{{{author_name(author)}}}" if "name" in author else author_name(author) for author in facts.publisher.authors
    )
    lines = [
        f"@misc{{{facts.name.replace('-', '_')},",
        f"  title = {{{facts.name}: a counterfactual vision-language benchmark}},",
        f"  author = {{{authors}}},",
        f"  version = {{{version}}},",
        *([f"  year = {{{facts.publisher.date[:4]}}},"] if facts.publisher.date else []),
        *([f"  url = {{{facts.url}}},"] if facts.url else []),
        f"  note = {{made with whatif {whatif.__version__}}},",
        "}",
    ]
    return "\n".join(lines)


def citation(facts: Facts, version: str) -> bytes:
    """The CITATION.cff of the data set; it refers to whatif and to the paper whose method the benchmark follows."""
    cited = facts.benchmark.citation
    method = f" The method is that of {cited}" if cited else ""
    software = {
        "type": "software",
        "title": "whatif",
        "version": whatif.__version__,
        "authors": [{"name": "The whatif developers"}],
    }
    return citation_file(
        title=facts.name,
        abstract=facts.benchmark.about or f"The benchmark {facts.benchmark.name}, made with whatif.",
        message=f"If you use this data set, please cite it with its version.{method}",
        authors=facts.publisher.authors,
        version=version,
        licences=facts.licences,
        keywords=KEYWORDS,
        references=[software, *facts.references],
        url=facts.url,
        date=facts.publisher.date,
    )
