"""Names of classes: read from a file, chosen and merged, and put into prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import LONGEST_LINE, read_bytes
from whatif.engine.files.well_formed import well_formed

LEFT_OUT = "class left out"  # reason of a rejection that a setting asks for


@dataclass(frozen=True)
class ClassifiedImages:
    """Classes and their images.

    names: of the classes, in the order of their labels from 0.
    images: item id, label, and a row of `images` or else a reason and its detail; one image at a time.
    """

    names: list[str]
    images: Iterator[tuple[str, int, dict[str, Any] | tuple[str, str]]]


def read_class_names(path: Path) -> list[str]:
    """The names in a text file, one a line; the number of the line, from 0, is the label. Names may repeat.

    Empty lines at the end do not count. Raises WhatifError when the file cannot be read, when it has no names, and for
    an empty line between names, because it would shift the labels.
    """
    try:
        text = read_bytes(path, longest_line=LONGEST_LINE).decode("utf-8-sig")
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror}); give a text file of class names") from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 ({error}); give a text file with one class name a line") from error
    names = [line.strip() for line in text.rstrip().splitlines()]
    if not names:
        raise WhatifError(f"{path}: is empty; it needs the name of a class in each line")
    if "" in names:
        raise WhatifError(
            f"{path}: line {names.index('') + 1}: is empty; each line names one class, in order of labels"
        )
    return names


def repeated_names(names: Sequence[str]) -> list[str]:
    """The names that more than one class has, sorted."""
    return sorted(name for name, count in Counter(names).items() if count > 1)


def choose_classes(
    where: str, names: Sequence[str], leave_out: Sequence[str], merge: Mapping[str, str]
) -> tuple[list[str], list[int | None]]:
    """The names of the classes that are used, and for each given class its new label; None where it is left out.

    `merge` says which class the images of another one are counted as. Raises WhatifError, which begins with `where`,
    when a setting names a class that does not exist, when a class is merged into one that is itself merged or left out,
    and when no class is left.
    """
    for setting, asked in (("leave_out", leave_out), ("merge", [*merge, *merge.values()])):
        for name in asked:
            if name not in names:
                near = [one for one in names if one.casefold().startswith(name[:3].casefold())] or list(names)
                raise WhatifError(
                    f"{where}: {setting}: there is no class {name!r}; there are {', '.join(near[:5])}, ..."
                )
    gone = {*leave_out, *merge}
    for name, into in merge.items():
        if into in gone:
            raise WhatifError(
                f"{where}: merge: {name} becomes {into}, which is left out or merged; name one that stays"
            )
    kept = [place for place, name in enumerate(names) if name not in gone]
    if not kept:
        raise WhatifError(f"{where}: leave_out: leaves no class of {len(names)}; leave out fewer")
    labels = {place: label for label, place in enumerate(kept)}
    first = {names[place]: label for place, label in reversed(labels.items())}
    return [names[place] for place in kept], [
        labels.get(place, first[merge[name]] if name in merge and name not in leave_out else None)
        for place, name in enumerate(names)
    ]


def class_prompt(name: str, template: str, names: Literal["as-given", "first"]) -> str:
    """The prompt for a class: `template` with its name in place of `{}`, underscores as spaces.

    `first` takes the first of several names that commas separate, in lower case (`tench, Tinca tinca` is `tench`). The
    template is not changed otherwise: `a photo of a apple`, as in the published prompts (COCO-Counterfactuals 5.2).
    """
    if names == "first":
        name = name.partition(",")[0].lower()
    return template.replace("{}", " ".join(well_formed(name).replace("_", " ").split()))
