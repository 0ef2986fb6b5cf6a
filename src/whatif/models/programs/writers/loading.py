"""Loads the writer of programs that an entry of `models` names."""

from __future__ import annotations

from whatif.engine.params.programs import FileWriter, RuleWriter, Writer
from whatif.models.programs.interfaces import Language, ProgramWriter


def load_writer(settings: Writer, language: Language, prompt_file: str | None, seed: int) -> ProgramWriter:
    """The writer of programs in a language.

    `prompt_file` is the file of a prompt that replaces the built-in one; it is for writers that are models.

    Raises WhatifError when the model cannot be loaded, or when a file of programs or of a prompt cannot be read.
    """
    # Each kind of writer is imported when it is used: rules need neither tables nor transformers.
    if isinstance(settings, RuleWriter):
        from whatif.models.programs.writers.rules import RulesWriter

        return RulesWriter(language, literal=settings.adapter == "literal")
    if isinstance(settings, FileWriter):
        from whatif.models.programs.code_in_reply import finder_of
        from whatif.models.programs.writers.file import ProgramsOfFile

        return ProgramsOfFile(settings, finder_of(language))
    from whatif.models.programs.writers.chat import chat_writer

    return chat_writer(settings, language, prompt_file, seed)
