"""`whatif publish`: benchmarks as Hugging Face data sets, ready to upload."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import displayed

if TYPE_CHECKING:
    from whatif.results.publishing.facts import Publisher

_OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--benchmark", "chosen", multiple=True, metavar="NAME", help="Only this one; may be given several times.")
@click.option("--owner", default="", help="Your name or organisation on the hub, for addresses.")
@click.option("--date", default="", metavar="YYYY-MM-DD", help="Date of publication.")
@click.option(
    "--creator", "creators", multiple=True, help="Author; may be given several times. Default: those of CITATION.cff."
)
@click.option(
    "--text-licence",
    "text_licences",
    multiple=True,
    metavar="NAME=LICENCE",
    help="Licence of the questions or captions of a benchmark, if they are from outside, such as cvqa-real=CC-BY-4.0.",
)
@click.option(
    "--photographs",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Annotation file of MS-COCO, such as instances_val2014.json, with the licence of each photograph; "
    "may be given several times.",
)
@click.option(
    "--private",
    type=click.Path(path_type=Path),
    help="Text file with the ids of pairs (pair_id), one a line, that are kept back.",
)
@click.option(
    "--ro-crate", is_flag=True, help="Add the metadata of an RO-Crate; needs --date and the extra `ro-crate`."
)
def publish(  # noqa: PLR0917
    folder: Path,
    chosen: tuple[str, ...],
    owner: str,
    date: str,
    creators: tuple[str, ...],
    text_licences: tuple[str, ...],
    photographs: tuple[Path, ...],
    private: Path | None,
    *,
    ro_crate: bool,
) -> None:
    """Write each benchmark as a Hugging Face data set, FOLDER/whatif-NAME, ready to upload.

    \b
    whatif publish hub/ --owner my-lab --date 2026-11-23
    hf upload my-lab/whatif-cvqa-synthetic hub/whatif-cvqa-synthetic --repo-type dataset

    A data set has Parquet files with pictures, README.md (the card), croissant.json with the responsible-AI fields,
    CITATION.cff, tasks for evaluation tools, and SHA256SUMS. All of it is from the artifacts, which must be fresh.
    Pictures whose licence does not allow it, and private pairs, are left out with a line.
    """
    from whatif import benchmarks
    from whatif.benchmarks.site import SITE
    from whatif.results.publishing.publish import publish as write

    publisher = _publisher(owner, date, creators, text_licences, photographs, private)
    if ro_crate and not date:
        raise WhatifError("--ro-crate: an RO-Crate has a date of publication; give it with --date YYYY-MM-DD")
    graph = benchmarks.graph(benchmarks.load_params())
    known = [name for name in graph.benchmarks if name != SITE]
    for name in (*chosen, *publisher.text_licences):
        if name not in known:
            raise WhatifError(f"{name}: not among the benchmarks of params.yaml ({', '.join(known)})")
    names = [name for name in known if not chosen or name in chosen]
    if not write(graph, names, folder, publisher, lambda line: click.echo(displayed(line)), as_crate=ro_crate):
        raise WhatifError(f"{folder}: nothing was published; the lines above say why")


def _publisher(  # noqa: PLR0917
    owner: str,
    date: str,
    creators: tuple[str, ...],
    text_licences: tuple[str, ...],
    photographs: tuple[Path, ...],
    private: Path | None,
) -> Publisher:
    """What the options say. Raises WhatifError when a value makes no sense or a file cannot be read."""
    from whatif.formats.citation_file import CITATION, authors_and_references
    from whatif.results.publishing.facts import Publisher

    if owner and not _OWNER.fullmatch(owner):
        raise WhatifError(f"--owner {owner}: is no name on the hub; give letters, digits, `-`, `_` and `.`")
    if date:
        _check_date(date)
    authors: list[Any] = [{"name": name} for name in creators]
    references: list[Any] = []
    if (file := Path(CITATION)).is_file():
        of_project, references = authors_and_references(file)
        authors = authors or of_project
    if not authors:
        raise WhatifError(f"{CITATION}: is not here; name the authors of the data with --creator")
    return Publisher(
        authors=authors,
        references=references,
        owner=owner,
        date=date,
        text_licences=_pairs(text_licences),
        photograph_licences=_photograph_licences(photographs),
        private=_ids(private),
    )


def _check_date(date: str) -> None:
    import datetime

    try:
        if not _DATE.fullmatch(date):
            raise ValueError
        datetime.date.fromisoformat(date)
    except ValueError:
        raise WhatifError(f"--date {date}: is no date; give it as YYYY-MM-DD") from None


def _pairs(texts: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, licence = text.partition("=")
        if not equals or not licence.strip():
            raise WhatifError(f"--text-licence {text}: give NAME=LICENCE, for example cvqa-real=CC-BY-4.0")
        found[name] = licence.strip()
    return found


def _photograph_licences(paths: tuple[Path, ...]) -> dict[int, str]:
    """Number of a photograph in MS-COCO -> its licence, as the annotation files name it."""
    from whatif.formats.annotation_files import AnnotationFile
    from whatif.formats.coco_annotations import FORMAT, images_of

    found: dict[int, str] = {}
    for path in paths:
        images = images_of(AnnotationFile(path, f"photographs {FORMAT}", ("images", "licenses")))
        found |= {number: image.licence for number, image in images.items() if image.licence}
    return found


def _ids(path: Path | None) -> frozenset[str]:
    from whatif.engine.files.inputs import read_bytes

    if path is None:
        return frozenset()
    try:
        text = read_bytes(path).decode("utf-8")
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror}); give a text file of pair ids") from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    return frozenset(line.strip() for line in text.splitlines() if line.strip())
