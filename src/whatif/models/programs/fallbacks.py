"""The programs that stand in for a reply without a readable program: each asks a tool the question itself."""

from __future__ import annotations

_LONGEST_QUESTION = 1000  # characters


def python_fallback(question: str) -> str:
    """The program in Python that asks `simple_query` a question about the whole image."""
    return f"def execute_command(image):\n    return ImagePatch(image).simple_query({_one_line(question)!r})\n"


def steps_fallback(question: str) -> str:
    """The steps that ask `VQA` a question about the whole image. An apostrophe would end the text of a step."""
    text = _one_line(question).replace("'", "’")
    return f"ANSWER0=VQA(image=IMAGE,question='{text}')\nFINAL_RESULT=RESULT(var=ANSWER0)\n"


def _one_line(question: str) -> str:
    return " ".join(question.split())[:_LONGEST_QUESTION]
