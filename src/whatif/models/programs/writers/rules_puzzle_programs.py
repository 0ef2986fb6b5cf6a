"""Writes programs for questions about things inside outlines, and in circles in rows and columns (C-VQA 3.3, 4.2)."""

from __future__ import annotations

from whatif.models.programs.writers.rules_changes import NotUnderstoodError
from whatif.models.programs.writers.rules_kinds import plural
from whatif.models.programs.writers.rules_puzzles import FullestContainer, InContainers, InOutlines, Puzzle
from whatif.models.programs.writers.rules_python import function_of
from whatif.models.programs.writers.rules_steps import Steps

_ORDERS = {
    "left": "key=lambda patch: patch.horizontal_center",
    "right": "key=lambda patch: patch.horizontal_center, reverse=True",
    "top": "key=lambda patch: patch.vertical_center, reverse=True",
    "bottom": "key=lambda patch: patch.vertical_center",
}


def puzzle_in_python(puzzle: Puzzle, clause: str) -> str:
    """The program over image patches; `clause` is the presupposition, for its comments."""
    supposed = [f"# If {clause}:"] if clause else []
    if isinstance(puzzle, InOutlines):
        return function_of(_things_in_outlines(puzzle, supposed))
    if isinstance(puzzle, FullestContainer):
        return function_of(_fullest(puzzle, supposed))
    return function_of(_things_in_containers(puzzle, supposed))


def puzzle_in_steps(puzzle: Puzzle) -> str:
    """The steps. Raises NotUnderstoodError where containers would have to be compared one by one."""
    steps = Steps()
    if isinstance(puzzle, InOutlines):
        return steps.result(_outlines_in_steps(puzzle, steps))
    if isinstance(puzzle, FullestContainer) or puzzle.without is not None:
        raise NotUnderstoodError(f"steps cannot compare {plural(puzzle.container)} one by one")
    image = "IMAGE" if puzzle.end is None else steps.part(f"{puzzle.end} half")
    number = steps.count(puzzle.thing, image)
    return steps.result(f"{number} - {puzzle.removed}" if puzzle.removed else number)


def _things_in_outlines(puzzle: InOutlines, supposed: list[str]) -> list[str]:
    thing = puzzle.thing
    outline = f"a {puzzle.outline}" if puzzle.any_colour else f"a {puzzle.colour} {puzzle.outline}"
    lines = ["count = 0", f"for {thing} in image_patch.find({thing!r}):"]
    if puzzle.emptied is not None:
        emptied = f"inside a {puzzle.emptied} {puzzle.outline}"
        lines += [
            *(f"    {line}" for line in supposed),
            f"    if {thing}.verify_property({thing!r}, {emptied!r}):",
            "        continue",
        ]
    elif puzzle.any_colour:
        lines += [f"    {line}" for line in supposed]
    test = f"{thing}.verify_property({thing!r}, {f'inside {outline}'!r})"
    lines += [f"    if {'' if puzzle.inside else 'not '}{test}:", "        count += 1"]
    if puzzle.removed:
        lines += [*supposed, f"count -= {puzzle.removed}"]
    return [*lines, "return count"]


def _things_in_containers(puzzle: InContainers, supposed: list[str]) -> list[str]:
    thing, many = puzzle.thing, plural(puzzle.container)
    lines = [f"{many} = image_patch.find({puzzle.container!r})"]
    counted = many
    if puzzle.end is not None:
        counted = f"{puzzle.end}_{many}"
        lines.append(f"{counted} = sorted({many}, {_ORDERS[puzzle.end]})[:{puzzle.number}]")
    if puzzle.without is not None:
        end, number = puzzle.without
        lines += [
            *supposed,
            f"removed = sorted({many}, {_ORDERS[end]})[:{number}]",
            f"{counted} = [patch for patch in {counted} if patch not in removed]",
        ]
    lines.append(f"count = sum(len(patch.find({thing!r})) for patch in {counted})")
    if puzzle.removed:
        lines += [*supposed, f"count -= {puzzle.removed}"]
    return [*lines, "return count"]


def _fullest(puzzle: FullestContainer, supposed: list[str]) -> list[str]:
    lines = [f"counts = sorted(len(patch.find({puzzle.thing!r})) for patch in image_patch.find({puzzle.container!r}))"]
    if puzzle.without:
        lines += [*supposed, f"counts = counts[:-{puzzle.without}]"]
    return [*lines, "return counts[-1]"]


def _outlines_in_steps(puzzle: InOutlines, steps: Steps) -> str:
    thing, outline = puzzle.thing, puzzle.outline
    coloured = f"{puzzle.colour} {outline}"
    inside = steps.count(f"{thing} inside a {outline if puzzle.any_colour else coloured}")
    number = inside if puzzle.inside else f"{steps.count(thing)} - {inside}"
    if puzzle.emptied is not None:
        if not puzzle.inside:
            raise NotUnderstoodError("steps cannot test things one by one")
        number += f" - {steps.count(f'{thing} inside a {coloured} and a {puzzle.emptied} {outline}')}"
    return f"{number} - {puzzle.removed}" if puzzle.removed else number
