"""The prompts for models that write programs: the built-in one of each language, or the user's."""

from __future__ import annotations

from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import read_bytes, user_path
from whatif.models.programs.interfaces import Language

_QUESTION = ("{question}", "INSERT_QUERY_HERE")
# Further places in prompts that were made for ViperGPT: the argument of the function, and examples that are added.
_OTHERS = {"INSERT_TYPE_HERE": "image", "EXTRA_CONTEXT_HERE": ""}
_LARGEST = 1024**2  # bytes


def prompt_of(language: Language, named: str | None) -> str:
    """The text of a prompt: that of the file `named`, or the built-in one of the language.

    Raises WhatifError when the file cannot be read, or has not one place for the question.
    """
    if named is None:
        return _built_in(language)
    path = user_path(named)
    text = _text(path)
    number = sum(text.count(place) for place in _QUESTION)
    if number != 1:
        raise WhatifError(
            f"{path}: has {number} places for the question; a prompt has one, `{_QUESTION[0]}` or `{_QUESTION[1]}`"
        )
    for place, words in _OTHERS.items():
        text = text.replace(place, words)
    return text


def _built_in(language: Language) -> str:
    if language == "python":
        from whatif.models.programs import viper_prompt

        return viper_prompt.PROMPT
    from whatif.models.programs import visprog_prompt

    return visprog_prompt.PROMPT


def filled(template: str, question: str) -> str:
    """The prompt with a question, on one line, in its place."""
    place = next(place for place in _QUESTION if place in template)
    before, _, after = template.partition(place)
    return before + " ".join(question.split()) + after


def _text(path: Path) -> str:
    try:
        return read_bytes(path, _LARGEST).decode("utf-8-sig")
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror}); give the text file of a prompt") from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8; save the prompt as UTF-8") from error
