"""Imports files of labels, in any of the known formats, as judgements of known items; what is not counted is listed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.people.consensus import AUTOMATIC
from whatif.people.imports.decisions import Words
from whatif.people.imports.items import Item, Items
from whatif.people.imports.label_studio import read_label_studio
from whatif.people.imports.labels import FINAL_DECISIONS, UNKNOWN, Finding, Label, Place, UnusableError, quoted
from whatif.people.imports.layouts import merged, needed_columns, read_layouts
from whatif.people.imports.mturk import read_mturk
from whatif.people.imports.own_captions import check_named_column, repeats_own_captions
from whatif.people.imports.question_files import read_corrected_copy, read_rejected_ids
from whatif.people.imports.records import Record, read_records
from whatif.people.imports.settings import NUMBERED, ColumnMap, LabelFile
from whatif.people.label_files import TWICE_ALIKE, TWICE_DIFFERENTLY

_LISTED = 10  # maximum number of places in a message


@dataclass(frozen=True)
class ImportedLabels:
    """The contents of files of labels: each label is in `judgements` or `findings`, or its row in `unlabelled`."""

    judgements: list[dict[str, Any]]  # rows of the table `judgements`, sorted by key
    findings: list[Finding]  # labels that are not counted, sorted by place
    unlabelled: list[Place]  # rows without a label
    gold: list[dict[str, Any]]  # those judgements that the annotation tool marks as the ground truth
    items_without_label: int
    files: int = 1

    @property
    def rejections(self) -> list[dict[str, str]]:
        """Rows of the table `rejections`, sorted by key."""
        rows = {}
        for finding in self.findings:
            row = finding.rejection(several_files=self.files > 1)
            name, number = row["item_id"], 1
            while row["item_id"] in rows:  # two annotations of a task with the same id
                number += 1
                row["item_id"] = f"{name}-{number}"
            rows[row["item_id"]] = row
        return [row for _, row in sorted(rows.items())]

    @property
    def counts(self) -> dict[str, int]:
        """The number of labels by what became of them: `counted`, `unlabelled`, and the reasons of rejections."""
        reasons = Counter(finding.reason for finding in self.findings)
        return {"counted": len(self.judgements), "unlabelled": len(self.unlabelled), **dict(sorted(reasons.items()))}


@dataclass
class _Found:
    """What has been read so far; `labels` by item and annotator."""

    labels: dict[tuple[str, str], list[_Resolved]] = field(default_factory=lambda: defaultdict(list))
    findings: list[Finding] = field(default_factory=list)
    unlabelled: list[Place] = field(default_factory=list)
    with_captions: set[str] = field(default_factory=set)  # names of the files that show both captions in a row

    def decisions(self, chosen: Callable[[_Resolved], bool]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """The decisions of the chosen labels and those of the others, by item."""
        by_item: tuple[dict[str, list[str]], dict[str, list[str]]] = {}, {}
        for label in chain.from_iterable(self.labels.values()):
            by_item[not chosen(label)].setdefault(label.row["item_id"], []).append(label.row["decision"])
        return by_item


@dataclass(frozen=True)
class _Resolved:
    place: Place
    row: dict[str, Any]  # of the table `judgements`
    is_gold: bool

    @property
    def value(self) -> tuple[str, str]:
        return self.row["decision"], self.row["corrected"]

    def preference(self) -> tuple[Any, ...]:
        """Sorts labels that say the same, whatever their places: the earliest, then those that say more."""
        row = self.row
        time, comment, seconds = row["time"], row["comment"], row["seconds"]
        return (time is None, time or "", not comment, comment, seconds is None, seconds or 0.0, not self.is_gold)


def import_labels(files: Sequence[LabelFile], items: Items) -> ImportedLabels:
    """The labels of several files as judgements of these items; the order of files and rows does not matter.

    A label is not counted, and is listed with its file and row, if its item is unknown, its side or decision is not
    understood, it names no annotator or one reserved for automatic checks, or if it was cancelled. If an annotator
    labels an item several times, one of the labels counts if they agree, and none counts if they differ.

    Raises WhatifError, naming file and row, when a file cannot be read in its format, when it lacks a column, when a
    word stands for a decision that these items do not have, when its column of decisions is that of the own captions
    (`own_captions`), and when none of its items is known.
    """
    found = _Found()
    names = _shown_names(files)
    for file, name in zip(files, names, strict=True):
        _import_file(name, file, items, found)
    if items.are_images_of_pairs:
        _check_own_captions(zip(files, names, strict=True), found, items)
    judgements, gold = [], []
    for _, labels in sorted(found.labels.items()):
        kept, lost = _settled(labels)
        found.findings += lost
        judgements += [label.row for label in kept]
        gold += [label.row for label in kept if any(one.is_gold for one in labels)]
    without = len(items.by_id) - len({row["item_id"] for row in judgements})
    findings = sorted(found.findings, key=lambda finding: (finding.place, finding.reason))
    return ImportedLabels(judgements, findings, sorted(found.unlabelled), gold, without, len(files))


def _check_own_captions(files: Iterable[tuple[LabelFile, str]], found: _Found, items: Items) -> None:
    """Makes findings of final decisions that only repeat own captions, and checks the columns that settings name."""
    own = {item_id: f"caption_{item.side}" for item_id, item in items.by_id.items()}
    final, others = found.decisions(lambda label: label.row["annotator"] == FINAL_DECISIONS)
    if repeats_own_captions(_last(final), others, own):
        told = "the column gives images the caption that they were made from, so it holds no decisions of people"
        for key in [key for key in found.labels if key[1] == FINAL_DECISIONS]:
            found.findings += [Finding(label.place, "own caption", told) for label in found.labels.pop(key)]
    for file, name in files:
        column = merged(file, ()).decision or ""
        if name in found.with_captions and NUMBERED not in column:
            decisions, elsewhere = found.decisions(partial(_is_in, name))
            votes = _votes_beside(file, name, items)
            check_named_column(user_path(file.path), column, _last(decisions), own, votes=votes, elsewhere=elsewhere)


def _is_in(name: str, label: _Resolved) -> bool:
    """Whether a label is in the one column of decisions that the settings name in a file."""
    return (label.place.file, label.place.part) == (name, "")


def _last(decisions: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {item: of_item[-1] for item, of_item in decisions.items()}


def _votes_beside(file: LabelFile, name: str, items: Items) -> dict[str, list[str]]:
    """The decisions in columns label_1, label_2, ... of a file in which the settings name another column, by item."""
    names = merged(file, ())
    columns = ColumnMap(item=names.item, side=names.side, first=names.first, second=names.second, adjudicated="")
    wide, beside = LabelFile(path=file.path, format="wide", columns=columns, sides=file.sides), _Found()
    try:
        _import_file(name, wide, items, beside)
    except WhatifError:  # the file has no such columns
        return {}
    return beside.decisions(lambda label: True)[0]


def _import_file(name: str, file: LabelFile, items: Items, found: _Found) -> None:
    path = user_path(file.path)
    words = Words(path, file, items)
    unknown: list[Finding] = []
    read = 0
    for label in _labels(path, name, file, items):
        if isinstance(label, Finding):
            found.findings.append(label)
            continue
        read += 1
        if label.shown is not None:
            found.with_captions.add(name)
        try:
            item, order = items.resolve(label, file.sides)
            resolved = _resolved(label, item, order, words)
        except UnusableError as fault:
            finding = Finding(label.place, fault.reason, fault.detail)
            found.findings.append(finding)
            unknown += [finding] if fault.reason in UNKNOWN else []
            continue
        if resolved is None:
            found.unlabelled.append(label.place)
        else:
            found.labels[resolved.row["item_id"], resolved.row["annotator"]].append(resolved)
    if read and len(unknown) == read:
        raise _none_known(path, unknown, items)


def _labels(path: Path, name: str, file: LabelFile, items: Items) -> Iterator[Label | Finding]:
    """The labels of a file in its format, and the rows of which none can be read."""
    columns = merged(file, items.correctable)
    if file.format == "corrected-copy":
        yield from read_corrected_copy(path, name, file, items, columns.item or "item_id")
        return
    if file.format == "rejected-ids":
        yield from read_rejected_ids(path, name, file, items, columns.item or "item_id")
        return
    records: Sequence[Record | Finding]
    if file.format == "label-studio":
        records = read_label_studio(path, name, columns)
    elif file.format == "mturk":
        records = read_mturk(path, name)
    else:
        records = read_records(path, name, items.kind, needed_columns(file), with_damage=True)
    yield from (record for record in records if isinstance(record, Finding))
    rows = [record for record in records if isinstance(record, Record)]
    yield from read_layouts(rows, path, file, items.correctable, items.kind)


def _resolved(label: Label, item: Item, order: tuple[int, int] | None, words: Words) -> _Resolved | None:
    """The judgement that a label is; None if it is empty. Raises UnusableError when it cannot be used."""
    labelled = bool(label.decision or label.means)
    if labelled and not label.annotator:
        task = f"task {label.item}" if label.columns[0] == "task_id" else f"item {item.item_id}"
        raise UnusableError("no annotator", f"{task} has a label but no annotator")
    if label.annotator.startswith(AUTOMATIC):
        told = f"names that begin with {AUTOMATIC} are reserved for automatic checks"
        raise UnusableError("annotator", f"{quoted(label.annotator)}: {told}")
    corrected = words.corrections(label, item)
    if not labelled:
        if corrected:
            told = f"{', '.join(sorted(corrected))} has a new value, but {label.columns[2]} is empty"
            raise UnusableError("correction without decision", told)
        return None
    meant = words.decision(label, item, order)
    if meant is None:
        return None
    decision, chosen = meant
    time, comment = label.time, label.comment
    if time and not _is_time(time):
        time, comment = "", f"{comment} (time: {time})".strip()
    row = {
        "item_id": item.item_id,
        "annotator": label.annotator,
        "decision": decision,
        "corrected": canonical_json({**corrected, **chosen}),
        "comment": comment,
        "time": time or None,
        "seconds": label.seconds,
    }
    return _Resolved(label.place, row, label.is_gold)


def _settled(labels: Sequence[_Resolved]) -> tuple[list[_Resolved], list[Finding]]:
    """Of several labels of one annotator for one item the one that counts, if any, and the others as findings."""
    if len(labels) == 1:
        return [labels[0]], []
    places = _told([label.place for label in labels])
    if len({label.value for label in labels}) > 1:
        detail = f"{places} give different values for the same item; none of them counts"
        return [], [Finding(label.place, TWICE_DIFFERENTLY, detail) for label in labels]
    kept, *others = sorted(labels, key=lambda label: (label.preference(), label.place))
    detail = f"{places} give the same value; one of them counts ({kept.place.row})"
    return [kept], [Finding(label.place, TWICE_ALIKE, detail) for label in others]


def _told(places: Sequence[Place]) -> str:
    ordered = sorted(places)
    if len({(place.file, place.unit, place.part) for place in ordered}) == 1:
        shown = [str(place.number) for place in ordered[:_LISTED]]
        text = f"{ordered[0].unit}s {', '.join(shown)}"
        text += f" ({ordered[0].part})" if ordered[0].part and len(ordered) <= _LISTED else ""
    else:
        one_file = len({place.file for place in ordered}) == 1
        text = " and ".join(place.row if one_file else str(place) for place in ordered[:_LISTED])
    return text if len(ordered) <= _LISTED else f"{text}, ... ({len(ordered)} labels)"


def _none_known(path: Path, unknown: Sequence[Finding], items: Items) -> WhatifError:
    first = min(unknown, key=lambda finding: finding.place)
    if first.reason == UNKNOWN[1]:
        return WhatifError(
            f"{path}: none of its {len(unknown):,} tasks belongs to these {items.things}; give the {items.things} and "
            f"the seed that the tasks were made with; {first.place.row}: {first.detail.partition(';')[0]}"
        )
    return WhatifError(
        f"{path}: none of its {len(unknown):,} labels is about one of these {items.things}; {first.place.row}: "
        f"{first.detail}"
    )


def _shown_names(files: Sequence[LabelFile]) -> list[str]:
    """The names of files in places: without folders, unless two files have the same name."""
    bare = [Path(file.path).name for file in files]
    return [name if bare.count(name) == 1 else file.path for name, file in zip(bare, files, strict=True)]


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def summary(counts: Mapping[str, int]) -> str:
    """One line that says what became of the labels, for example `12 counted, 3 unlabelled, 1 unknown item`."""
    return ", ".join(f"{number:,} {what}" for what, number in counts.items() if number or what == "counted")
