"""Everything that the card and the metadata of a published benchmark say, gathered from artifacts once."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import whatif
from whatif.engine.artifacts import footer_of
from whatif.engine.artifacts.images import DRAWN_LICENCE
from whatif.engine.artifacts.stored_rows import StoredRows
from whatif.engine.graph.lineage import Lineage
from whatif.engine.graph.steps import Benchmark
from whatif.formats.croissant import PublishedFile
from whatif.results.publishing.contents import AUTOMATIC, Contents, Row
from whatif.results.publishing.measured import Measured
from whatif.results.publishing.pictures import PublishedPictures
from whatif.results.publishing.private_text import without_folders, without_private

_EMBEDDED = "embedded:"
_CHINESE = re.compile("[\u4e00-\u9fff]")
_FOLDERS = ("folder", "folders", "image_folder", "image_folders")  # settings that name pictures, not texts


@dataclass(frozen=True)
class Publisher:
    """Who publishes: authors as in CITATION.cff, papers to refer to, and what nobody but the publisher knows.

    owner: the user or organisation on the hub; date: of the publication (ISO 8601). Both may be empty. licences: of
    texts from outside, by benchmark; of photographs of MS-COCO, by their number. private: ids of pairs kept back.
    """

    authors: Sequence[Mapping[str, Any]]
    references: Sequence[Mapping[str, Any]] = ()
    owner: str = ""
    date: str = ""
    text_licences: Mapping[str, str] = field(default_factory=dict)
    photograph_licences: Mapping[int, str] = field(default_factory=dict)
    private: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Kept:
    """The rows of one table that are published; of `bare` ones, a picture is left out; `private` ones are kept back."""

    rows: Sequence[Row]
    private: int
    bare: int

    @property
    def before(self) -> int:
        """The number of rows in the artifacts."""
        return len(self.rows) + self.private


@dataclass(frozen=True)
class Facts:
    """What is known of a benchmark that is being published.

    kept: the published rows by table (`questions`, `pairs`). text_licence: of questions and captions.
    """

    benchmark: Benchmark
    publisher: Publisher
    contents: Contents
    kept: Mapping[str, Kept]
    pictures: PublishedPictures
    made: Lineage
    measured: Measured
    text_licence: str

    @property
    def name(self) -> str:
        """The name of the data set and of its folder, which is never that of a paper."""
        return folder_name(self.benchmark.name)

    @property
    def url(self) -> str:
        """The address on the hub; empty if the owner is not known."""
        owner = self.publisher.owner
        return f"https://huggingface.co/datasets/{owner}/{self.name}" if owner else ""

    @property
    def licences(self) -> list[str]:
        """The licences of texts and published pictures, sorted."""
        return sorted({self.text_licence, *self.pictures.licences})

    @property
    def artifacts(self) -> list[tuple[str, int, str]]:
        """Path, rows and fingerprint of each artifact that the rows are from."""
        footers = [(path, footer_of(path)) for path in self.contents.tables]
        return [(without_folders(str(path)), footer.rows, footer.fingerprint) for path, footer in footers]

    @property
    def references(self) -> list[Mapping[str, Any]]:
        """The papers of the project's CITATION.cff that the benchmark cites."""
        cited = " ".join(self.benchmark.citation.split()).casefold()
        return [one for one in self.publisher.references if " ".join(str(one["title"]).split()).casefold() in cited]

    @property
    def checks(self) -> dict[str, Counter[str]]:
        """Name of an automatic check -> its decisions, counted."""
        found: dict[str, Counter[str]] = {}
        for row in self.contents.judgements:
            if row["annotator"].startswith(AUTOMATIC):
                found.setdefault(row["annotator"].removeprefix(AUTOMATIC), Counter())[row["decision"]] += 1
        return dict(sorted(found.items()))

    @property
    def annotators_per_item(self) -> Counter[int]:
        """Number of people -> number of items that so many people judged."""
        by: dict[str, set[str]] = {}
        for row in self.contents.judgements:
            if not row["annotator"].startswith(AUTOMATIC):
                by.setdefault(row["item_id"], set()).add(row["annotator"])
        return Counter(map(len, by.values()))

    @property
    def languages(self) -> list[str]:
        """The languages of the questions: English, and Chinese where one has Chinese characters."""
        rows = self.kept["questions"].rows if "questions" in self.kept else ()
        has_chinese = any(_CHINESE.search(row["question"]) for row in rows)
        return ["en", "zh"] if has_chinese else ["en"]


def folder_name(benchmark: str) -> str:
    """The name under which a benchmark is published: `whatif-cvqa-synthetic`."""
    return f"whatif-{benchmark}"


def data_version(files: Sequence[PublishedFile]) -> str:
    """The version of the data: that of whatif, and the hash of all Parquet files, `0.1.0+1f0c9b2a4d5e`."""
    listed = "\n".join(f"{file.sha256} {file.path}" for file in sorted(files, key=lambda file: file.path))
    return f"{whatif.__version__}+{hashlib.sha256(listed.encode()).hexdigest()[:12]}"


def publishable(rows: StoredRows, private: frozenset[str], names: Mapping[str, str]) -> StoredRows:
    """The rows of pairs that are not private, with annotators and folders taken out of their provenance."""
    import pyarrow as pa
    import pyarrow.compute as pc

    left_out = pa.array(sorted(private), pa.string())

    def change(piece: pa.Table) -> pa.Table:
        kept = piece.filter(pc.invert(pc.is_in(piece["pair_id"], left_out)))
        place = kept.schema.get_field_index("provenance")
        texts = kept["provenance"].combine_chunks().dictionary_encode()
        cleaned = pa.array([without_private(text, names) for text in texts.dictionary.to_pylist()], pa.string())
        return kept.set_column(place, "provenance", cleaned.take(texts.indices))

    return rows.changed(change)


def shown_by(row: Row) -> list[str]:
    """The ids of the images of a question or of a pair."""
    if "image_ids" in row:
        return list(row["image_ids"])
    return [row[f"image_id_{side}"] for side in (0, 1)]


def text_sources(made: Lineage) -> list[str]:
    """What the texts are from, if that is not whatif: names of files and of models that write.

    Folders of pictures do not count, nor labels that people gave in the stage verify.
    """
    found: set[str] = set()
    for step in made.steps:
        if step.stage not in ("extract", "generate"):
            continue
        for place, value in step.parameters.items():
            named = value if isinstance(value, list) else [value]
            if place.rpartition(".")[2] not in _FOLDERS:
                found |= {Path(name).name for name in named if name in step.sources and name in made.outside}
            _, _, key = place.removesuffix(".adapter").partition("models.")
            if place == f"models.{key}.adapter":  # an endpoint has no checkpoint
                checkpoint = str(step.parameters.get(f"models.{key}.checkpoint", key))
                found |= set() if checkpoint.startswith(_EMBEDDED) else {checkpoint}
    return sorted(found)


def text_licence(benchmark: str, made: Lineage, given: Mapping[str, str]) -> str:
    """The licence of questions and captions: as given, or that of what whatif draws; empty if it is not known."""
    if benchmark in given:
        return given[benchmark]
    return "" if text_sources(made) else DRAWN_LICENCE
