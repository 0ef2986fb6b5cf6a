"""The responsible-AI fields of Croissant, filled from what artifacts record; a field that is not known is left out.

Fields and their meaning: http://mlcommons.org/croissant/RAI/1.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

import whatif
from whatif.engine.graph.lineage import MadeBy
from whatif.formats.croissant import Responsible
from whatif.formats.markdown import interval
from whatif.results.publishing.facts import Facts, text_sources
from whatif.results.publishing.pictures import Picture
from whatif.results.publishing.private_text import without_folders

_OTHERS_PICTURES = ("file:", "coco:")  # sources of pictures that are photographs or other files from outside


def responsible(facts: Facts, version: str) -> Responsible:
    """Field name (without `rai:`) -> its text or texts."""
    made = facts.made
    fields: dict[str, str | Sequence[str]] = {
        "dataCollection": _collection(facts),
        "dataCollectionType": _collection_types(facts),
        "dataCollectionMissingData": _missing(facts),
        "dataCollectionRawData": "; ".join(
            f"{PurePosixPath(path).name}: SHA-256 {digest}" for path, digest in made.outside.items()
        ),
        "dataPreprocessingProtocol": [_step(step) for step in made.steps if step.stage in ("extract", "generate")],
        "dataManipulationProtocol": _filtering(facts),
        "dataImputationProtocol": _nulls(facts),
        "dataAnnotationProtocol": _annotation(facts),
        "dataAnnotationAnalysis": _agreement(facts),
        "annotationsPerItem": _per_item(facts),
        "machineAnnotationTools": [
            *(f"{name}, checkpoint of {place.removesuffix('.checkpoint')}" for place, name in _checkpoints(facts)),
            *(f"automatic check {name} of whatif {whatif.__version__}" for name in facts.checks),
        ],
        "personalSensitiveInformation": _personal(facts),
        "dataBiases": _biases(facts),
        "dataLimitations": _limitations(facts),
        "dataUseCases": _use(facts),
        "dataReleaseMaintenancePlan": (
            f"The version {version} is that of whatif and a hash of the data. The data is regenerated from its "
            "parameters, which the card lists; another seed, parameter, source or version of the code gives another "
            "version."
        ),
    }
    return {name: value for name, value in fields.items() if value}


def _collection(facts: Facts) -> str:
    made = facts.made
    steps = "; ".join(_outputs(step) for step in made.steps)
    seed = f" with seed {made.parameters['seed']}" if "seed" in made.parameters else ""
    texts = text_sources(made)
    origin = f"from {', '.join(texts)} and the settings of the card" if texts else "from the settings of the card alone"
    return (
        f"Computed by whatif {whatif.__version__}{seed}, {origin}. {facts.benchmark.about} "
        f"Steps with the rows that they made: {steps}."
    )


def _collection_types(facts: Facts) -> list[str]:
    """The kinds of the specification."""
    found = ["Software Collection"]
    if facts.made.outside:
        found.append("Secondary Data Analysis")
    if facts.contents.people:
        found.append("Manual Human Curator")
    return found


def _outputs(step: MadeBy) -> str:
    return f"{step.name} ({', '.join(f'{role} {rows:,}' for role, rows in sorted(step.rows.items()))})"


def _step(step: MadeBy) -> str:
    """A step with its settings, as the footers of its artifacts record them."""
    settings = ", ".join(f"{_short(place, step)} = {_value(value)}" for place, value in sorted(step.parameters.items()))
    return f"{_outputs(step)}; {f'settings: {settings}' if settings else 'no settings'}"


def _short(place: str, step: MadeBy) -> str:
    return place.removeprefix(f"{step.stage}.{step.benchmark}.")


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return without_folders(value) if isinstance(value, str) else "none" if value is None else str(value)


def _missing(facts: Facts) -> str:
    parts = [
        f"{kept.private:,} of {kept.before:,} {name} are kept back by the publisher"
        for name, kept in facts.kept.items()
        if kept.private
    ]
    if facts.pictures.withheld:
        parts.append(
            f"{facts.pictures.withheld:,} of {len(facts.pictures.of):,} pictures are left out because their licence "
            "does not allow to publish them; their rows have id, source and licence"
        )
    parts += [
        f"{passage.counts['rejected']:,} of {passage.counts.get('in', 0):,} {passage.unit} were rejected in the stage "
        f"{passage.stage}"
        for passage in facts.measured.funnel
        if passage.counts.get("rejected")
    ]
    return "; ".join(parts)


def _filtering(facts: Facts) -> str:
    """What was rejected in each stage and why, and the settings of the filters."""
    parts = [
        f"{passage.stage}: of {passage.counts.get('in', 0):,} {passage.unit}, {passage.counts['rejected']:,} rejected"
        + (f" ({_reasons(passage.reasons)})" if passage.reasons else "")
        for passage in facts.measured.funnel
        if passage.counts.get("rejected")
    ]
    parts += [_step(step) for step in facts.made.steps if step.stage in ("filter", "verify")]
    return ". ".join(parts)


def _reasons(reasons: dict[str, int]) -> str:
    return ", ".join(f"{reason}: {number:,}" for reason, number in reasons.items())


def _nulls(facts: Facts) -> str:
    """How many values are unknown, counted in the published rows; none is filled in."""
    found = Counter(
        f"{table}.{column}"
        for table, kept in facts.kept.items()
        for row in kept.rows
        for column, value in row.items()
        if value is None
    )
    counted = ", ".join(f"{column} ({number:,})" for column, number in sorted(found.items()))
    return (
        f"No value was imputed. Values that are null because they do not apply or are not known: {counted or 'none'}."
    )


def _annotation(facts: Facts) -> list[str]:
    found = [
        f"Automatic check {name}: "
        + ", ".join(f"{decision} {number:,}" for decision, number in sorted(decisions.items()))
        for name, decisions in facts.checks.items()
    ]
    people = Counter(row["decision"] for row in facts.contents.judgements if row["annotator"] in facts.contents.people)
    if people:
        told = ", ".join(f"{decision} {number:,}" for decision, number in sorted(people.items()))
        found.append(f"{len(facts.contents.people):,} people gave labels: {told}")
    rules = {
        place: value for place, value in facts.made.parameters.items() if ".resolution." in place and value is not None
    }
    if people and rules:
        found.append("Labels become decisions by " + ", ".join(f"{place} = {value}" for place, value in rules.items()))
    if not facts.contents.people and not text_sources(facts.made):
        found.append("No person labelled the data: labels are computed by the steps that dataCollection lists.")
    return found


def _agreement(facts: Facts) -> list[str]:
    return [
        f"{one.measure}{f' of {one.annotators} annotators' if one.annotators else ''}: "
        f"{interval(one.value, one.low, one.high, 3)}{'' if one.n is None else f', {one.n:,} items'}"
        for one in facts.measured.agreement
    ]


def _per_item(facts: Facts) -> str:
    found = facts.annotators_per_item
    return ", ".join(f"{people} for {items:,} items" for people, items in sorted(found.items()))


def _checkpoints(facts: Facts) -> list[tuple[str, str]]:
    return [(place, without_folders(name)) for place, name in facts.made.checkpoints.items()]


def _personal(facts: Facts) -> list[str]:
    """What is known of persons in the data; nothing is said of photographs beyond where they are from."""
    photographs = [picture for picture in facts.pictures.of.values() if _is_outside(picture)]
    if photographs:
        kinds = sorted({picture.source.partition(":")[0] for picture in photographs})
        return [f"{len(photographs):,} pictures are from outside ({', '.join(kinds)}) and may show persons."]
    if facts.made.outside:
        return []
    drawn = Counter(picture.source.partition(":")[0] for picture in facts.pictures.of.values())
    told = ", ".join(f"{kind} ({number:,})" for kind, number in sorted(drawn.items()))
    return [
        f"None: every picture was made by whatif from its settings ({told}), and no text was taken from outside."
        + (" Names of annotators are not published." if facts.contents.people else "")
    ]


def _is_outside(picture: Picture) -> bool:
    return picture.source.startswith(_OTHERS_PICTURES)


def _biases(facts: Facts) -> list[str]:
    """What was measured: the shortcut audit, and how the answers are distributed."""
    found = [
        f"{one.variant} questions answered without the picture by the rule “{one.rule}”: "
        f"{interval(one.value, one.low, one.high)}% of {one.n:,}"
        for one in facts.measured.shortcuts
    ]
    if "questions" not in facts.kept:
        return found
    by: dict[tuple[str, str], Counter[str]] = {}
    for row in facts.kept["questions"].rows:
        by.setdefault((row["group"], row["variant"]), Counter())[row["answer"]] += 1
    for (group, variant), answers in sorted(by.items()):
        number, answer = max((number, answer) for answer, number in answers.items())
        share = 100 * number / answers.total()
        found.append(f"most frequent answer of {group}, {variant}: {answer}, {share:.1f}% of {answers.total():,}")
    return found


def _limitations(facts: Facts) -> list[str]:
    made = facts.made
    found = []
    if not made.outside:
        found.append("Pictures and texts are drawn and composed by a program; they are no photographs of the world.")
    if embedded := sorted({name for _, name in _checkpoints(facts) if name.startswith("embedded:")}):
        found.append(
            f"Made with the small checkpoints that come with whatif ({', '.join(embedded)}), which know only drawn "
            "scenes."
        )
    if not facts.contents.people:
        found.append("No person has judged the data.")
    if made.unknown:
        found.append(f"The origin of {len(made.unknown):,} inputs is unknown: they have changed or no longer exist.")
    return found


def _use(facts: Facts) -> list[str]:
    sizes = " and ".join(f"{len(kept.rows):,} {name}" for name, kept in sorted(facts.kept.items(), reverse=True))
    return [f"Evaluation of vision-language models on {sizes}. {facts.benchmark.about}".strip()]
