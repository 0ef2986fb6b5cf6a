"""Makes a benchmark of a YAML file: checks what it says, and declares the steps with its settings as their defaults.

The sections of the file are the settings of the benchmark, so what a step reads of them is part of what its outputs
are made from: an edit makes exactly those steps stale that read the edited keys. A section of `params.yaml` overrides
single keys of the section of the same stage.
"""

from __future__ import annotations

import copy
import difflib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import create_model

from whatif.benchmarks.from_yaml.expressions import ELEMENT, Used, names_in
from whatif.benchmarks.from_yaml.released import steps as released
from whatif.benchmarks.from_yaml.released.settings import ReleasedFile, ReleasedSettings
from whatif.benchmarks.from_yaml.settings import ExtractRows, FromYamlSettings, Template, YamlFile, blanks_in
from whatif.benchmarks.from_yaml.steps import PEOPLE, steps
from whatif.benchmarks.from_yaml.table_rows import SCENE_ATTRIBUTES, known_attributes
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import read_bytes
from whatif.engine.files.yaml_values import LARGEST, parse_yaml
from whatif.engine.graph.steps import Benchmark
from whatif.engine.params.base import STAGES, BenchmarkSettings, Settings
from whatif.engine.params.files import check_settings, line_of
from whatif.engine.params.whole import Params

Attributes = dict[str, tuple[str, ...] | None]  # attribute -> the fields of its elements; None if it is no list
Mistake = tuple[tuple[Any, ...], str]  # the keys, and what is wrong


def declared(path: Path, name: str, *, shipped: bool = False) -> Benchmark:
    """The benchmark of this name, which a file of a project declares, or one that is `shipped` with whatif.

    Raises WhatifError with one line per mistake: file, line, path of the key, what is wrong, what would be right.
    """
    try:
        content = read_bytes(path, LARGEST)
        text = content.decode("utf-8")
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    return _declared(path, name, text, shipped)


@lru_cache(maxsize=64)
def _declared(path: Path, name: str, text: str, shipped: bool) -> Benchmark:
    values, tree = parse_yaml(text, path)
    stage = values.get("extract") if isinstance(values, dict) else None
    if isinstance(stage, dict) and "questions" in stage:
        return _over_released(
            check_settings(ReleasedFile, values, path, tree), name, "" if shipped else path.as_posix()
        )
    file = check_settings(YamlFile, values, path, tree)
    _check_names(file, path, tree)
    return Benchmark(
        name,
        _settings_of(file, FromYamlSettings),
        steps(file.title),
        outside=_outside(name),
        about=" ".join(file.about.split()),
        citation=" ".join(file.citation.split()),
        licence=file.licence,
        headline=("original", "counterfactual"),
        people=PEOPLE,
        file=path.as_posix(),
    )


def _over_released(file: ReleasedFile, name: str, path: str) -> Benchmark:
    return Benchmark(
        name,
        _settings_of(file, ReleasedSettings),
        released.steps(file.title, " ".join(file.download.split())),
        outside=lambda params: f"the released questions of {file.title}",
        about=" ".join(file.about.split()),
        citation=" ".join(file.citation.split()),
        licence=file.licence,
        headline=("accuracy", *dict.fromkeys(unit for one in file.extract.questions.values() for unit in one.units)),
        file=path,
    )


def _check_names(file: YamlFile, path: Path, tree: Any) -> None:
    """Checks that expressions and texts of a file name only attributes and blanks that exist.

    The attributes of a table are those of its first rows; nothing is checked if it cannot be read. Raises WhatifError
    with one line per mistake.
    """
    known = attributes_of(file.extract)
    if known is None:
        return
    lines = []
    for name, template in file.generate.templates.items():
        for keys, wrong in _mistakes(template, known):
            place: list[Any] = ["generate", "templates", name, *keys]
            lines.append(f"{path}:{line_of(place, tree)}: {'.'.join(map(str, place))}: {wrong}")
    if lines:
        raise WhatifError("\n".join(dict.fromkeys(lines)))


def attributes_of(settings: ExtractRows) -> Attributes | None:
    """The attributes that expressions can name; None if they are not known."""
    if settings.table is not None:
        return known_attributes(settings.table)
    return dict(SCENE_ATTRIBUTES)


def _mistakes(template: Template, known: Attributes) -> Iterator[Mistake]:
    fields = {field for of_list in known.values() if of_list is not None for field in of_list}
    earlier: list[str] = []
    for blank, words in template.blanks.items():
        if blank in known or blank in fields or blank == ELEMENT:
            what = "an attribute" if blank in known else "a field of an object" if blank in fields else "an element"
            yield ("blanks", blank), f"is also the name of {what}; give the blank another name, such as the_{blank}"
        if isinstance(words, str):
            for wrong in _unknown(words, known, earlier):
                yield ("blanks", blank), wrong
        earlier.append(blank)
    in_texts = {name for text in template.texts().values() for name in blanks_in(text)}
    for keys, expression in template.expressions().items():
        unknown = [*_unknown(expression, known, earlier)]
        yield from ((keys, wrong) for wrong in unknown)
        if keys[0] == "answer" and not unknown and {used.name for used in names_in(expression)} <= in_texts:
            free = [name if of is None else f"count({name})" for name, of in known.items() if name not in in_texts]
            line = f", for example `{keys[-1]}: {free[-1]}`" if free else ""
            yield (
                keys,
                "is the same for all rows with the same question, so there are no wrong options; let it depend on an "
                f"attribute that the question does not name{line}",
            )
    for key, text in template.texts().items():
        for name in blanks_in(text):
            if name not in earlier and known.get(name, ()) is not None:
                texts = [one for one, of_list in known.items() if of_list is None]
                yield (
                    (key,),
                    f"{{{name}}}: is neither a blank nor a plain attribute; {_meant(name, [*earlier, *texts])}",
                )


def _unknown(expression: str, known: Attributes, blanks: Sequence[str]) -> Iterator[str]:
    for used in names_in(expression):
        if used.name not in known and used.name not in blanks and not _is_field(used, known):
            inside = [field for name in used.lists for field in known.get(name) or ()]
            if used.lists and inside:
                names = [*inside, *blanks, *known]
                yield f"{used.name}: is no field of {used.lists[-1]}; {_meant(used.name, names)}"
            else:
                word = f"'{used.name}'" if expression.strip() != used.name else f"\"'{used.name}'\""
                told = _meant(used.name, [*blanks, *known])
                yield f"{used.name}: there is no such name; {told}; for the word itself write `{word}`"


def _is_field(used: Used, known: Attributes) -> bool:
    """Whether a name is a field of an element, or may be one, where the fields of a list are not known."""
    for name in used.lists:
        fields = known.get(name)
        if used.name == ELEMENT or fields is None or not fields or used.name in fields:
            return True
    return False


def _meant(name: str, there: Sequence[str]) -> str:
    """What somebody may have meant who wrote a name that does not exist, and which names there are."""
    names = list(dict.fromkeys(there))
    known = f"there are {', '.join(names)}" if names else "there are none"
    alike = difflib.get_close_matches(name, names, 1)
    return f"did you mean `{alike[0]}`? T{known[1:]}" if alike else known


def _outside(name: str) -> Any:
    def outside(params: Params) -> str:
        table = params.section(name, FromYamlSettings).extract.table
        return "" if table is None else f"the pictures of {table.file}"

    return outside


def _settings_of(file: BenchmarkSettings, base: type[BenchmarkSettings]) -> type[BenchmarkSettings]:
    """The class of the settings in `params.yaml`: every stage is optional, with the values of the file by default."""
    fields: dict[str, Any] = {}
    for stage in (stage for stage in STAGES if stage in base.model_fields):
        value = getattr(file, stage)
        fields[stage] = (_with_defaults(value), value)
    made: type[BenchmarkSettings] = create_model(base.__name__, __base__=base, __module__=base.__module__, **fields)
    return made


def _with_defaults(value: Settings) -> type[Settings]:
    """A subclass of the class of some settings whose defaults are these values, under the same name."""
    kind = type(value)
    fields: dict[str, Any] = {}
    for name, declared_field in kind.model_fields.items():
        own = copy.copy(declared_field)
        own.default, own.default_factory = getattr(value, name), None
        fields[name] = (declared_field.annotation, own)
    made: type[Settings] = create_model(kind.__name__, __base__=kind, __module__=kind.__module__, **fields)
    return made
