"""The text that Figure 8 compares with our questions: a file that the user names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import LONGEST_LINE, read_bytes
from whatif.formats.annotation_files import AnnotationFile
from whatif.formats.c_vqa import read_released


@dataclass(frozen=True)
class Words:
    """Texts whose nouns and verbs are counted, and their name in the figure."""

    name: str
    texts: tuple[str, ...]


def read_reference(path: Path) -> Words:
    """The texts of a file, by its suffix; their name is that of the file.

    `.csv`: the released C-VQA format, of which the counterfactual questions are used. `.json`: the questions of a file
    in the format of VQAv2. Any other file is plain text in UTF-8, with one text per line; empty lines do not count.

    Raises WhatifError that names the file and the place when it cannot be read or has no text.
    """
    suffix = path.suffix.lower()
    if suffix == ".csv":
        texts = [row["question"] for row in read_released(path) if row["variant"] == "counterfactual"]
    elif suffix == ".json":
        file = AnnotationFile(path, "questions in the format of VQAv2", ("questions",))
        texts = [file.value("questions", place, "question", str) for place in range(len(file.records("questions")))]
    else:
        texts = [line.strip() for line in _text_of(path).splitlines()]
    texts = [text for text in texts if text]
    if not texts:
        raise WhatifError(f"{path}: has no text; `reference_text` of Figure 8 needs a file with questions or sentences")
    return Words(path.name, tuple(texts))


def _text_of(path: Path) -> str:
    try:
        return read_bytes(path, longest_line=LONGEST_LINE).decode("utf-8-sig")
    except OSError as error:
        raise WhatifError(
            f"{path}: cannot be read ({error.strerror}); `reference_text` is a text file, a C-VQA CSV, or VQAv2 "
            "questions in JSON"
        ) from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: cannot be read as UTF-8 ({error}); save the file as UTF-8") from error
