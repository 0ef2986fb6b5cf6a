"""The program in a model's reply."""

from __future__ import annotations

import pytest

from whatif.models.programs.code_in_reply import python_in, steps_in

PROGRAM = "def execute_command(image):\n    return len(ImagePatch(image).find('dog'))\n"
BODY = "    return len(ImagePatch(image).find('dog'))"


@pytest.mark.parametrize(
    "reply",
    [
        PROGRAM,
        f"```python\n{PROGRAM}```",
        f"```\n{PROGRAM}\n```\nIt counts the dogs.",
        f"~~~py\n{PROGRAM}~~~",
        f"Sure! Here is the function:\n\n```python\n{PROGRAM}```\n\nIt calls find. `len` counts.",
        f"Sure, here it is.\n\n{PROGRAM}\nThis function counts the dogs.\nIt returns a number.",
        f"First:\n```text\nfind the dogs\n```\nThen:\n```python\n{PROGRAM}```",
        BODY,  # continues a prompt that ends in the header
        f"\n{BODY}\n",
        f"{BODY}\n\n# Question: How many cats?\ndef execute_command(image):\n    return 0\n",
        f"```python\n{BODY}\n```",
        "return len(ImagePatch(image).find('dog'))",
        f"{PROGRAM}\n# Question: How many cats?\n{PROGRAM.replace('dog', 'cat')}",
        PROGRAM.replace("\n", "\r\n"),
        PROGRAM.replace("    ", "\t"),
        f"```python\n{PROGRAM}",  # cut off before the fence
        "   ```python\n" + "".join(f"   {line}\n" for line in PROGRAM.splitlines()) + "   ```",
    ],
)
def test_the_program_is_found(reply: str) -> None:
    code = python_in(reply).code
    assert code is not None
    assert code.removesuffix("\n\n# Question: How many cats?\n").rstrip("\n") == PROGRAM.rstrip("\n")


def test_helpers_and_imports_stay() -> None:
    reply = f"import math\n\ndef half(x):\n    return x / 2\n\n{PROGRAM}"
    assert python_in(f"Here:\n{reply}").code == reply
    assert python_in(f"```python\n{reply}```").code == reply


def test_several_lines_continue_the_header() -> None:
    reply = "    image_patch = ImagePatch(image)\n    dogs = image_patch.find('dog')\n\n    return len(dogs)\n"
    assert python_in(reply).code == f"def execute_command(image):\n{reply}"


def test_another_name_of_the_function_gets_the_one_that_is_called() -> None:
    reply = "def helper(x):\n    return x\n\ndef count_dogs(image):\n    return 1\n"
    code = python_in(reply).code
    assert code == f"{reply}\n\nexecute_command = count_dogs\n" or (code or "").endswith(
        "execute_command = count_dogs\n"
    )
    namespace: dict[str, object] = {}
    exec(code or "", namespace)  # our own text
    assert namespace["execute_command"] is namespace["count_dogs"]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n\n",
        "I cannot see the image.",
        "There are 3 dogs.",
        "```\n```",
        "```json\n{}\n```",
        "x" * 50_000,
        "```python\nimage_patch = ImagePatch(image)\n```",
    ],
)
def test_a_reply_without_a_program_says_so(reply: str) -> None:
    found = python_in(reply)
    assert found.code is None
    assert found.reason


@pytest.mark.parametrize(
    "hostile", ["(" * 39_000, "def " * 9_000, "```\n" * 9_000, "a=" * 19_000, "\t" * 4_000 + "x", "\x00"]
)
def test_hostile_text_is_searched_in_little_time_and_not_parsed(hostile: str) -> None:
    assert python_in(hostile).code is None or hostile.startswith("```")
    assert steps_in(hostile).code is None


def test_steps_are_the_lines_with_steps() -> None:
    steps = "BOX0=LOC(image=IMAGE,object='dog')\nANSWER0=COUNT(box=BOX0)\nFINAL_RESULT=RESULT(var=ANSWER0)\n"
    assert steps_in(f"Program:\n{steps}").code == steps
    assert steps_in(f"Sure!\n```\n{steps}```\nThat counts them.").code == steps
    assert steps_in(f"{steps}\nQuestion: another?\nProgram:\nBOX0=LOC(image=IMAGE,object='cat')").code == steps
    assert steps_in("I do not know.").code is None
