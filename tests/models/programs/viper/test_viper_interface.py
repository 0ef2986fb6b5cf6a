"""The interface of programs in Python, run in the sandbox with tools that know a small picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from whatif.engine.params.programs import Limits
from whatif.models.programs.interfaces import ToolError
from whatif.models.programs.sandbox.pool import Sandbox
from whatif.models.programs.viper_source import interface_source

pytestmark = pytest.mark.process

WIDTH, HEIGHT = 100.0, 80.0
# Names and boxes (left, top, right, bottom; y downwards): a kite at the top left, two dogs at the bottom.
THINGS = [("kite", [10, 5, 20, 15]), ("dog", [10, 60, 30, 75]), ("dog", [60, 50, 90, 79])]


class Tools:
    """Tools of one run, whose handles are places in `boxes`."""

    def __init__(self) -> None:
        self.boxes: list[list[float]] = [[0, 0, WIDTH, HEIGHT]]

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        left, top, right, bottom = self.boxes[arguments.get("patch", 0)]
        inside = [
            (name, box)
            for name, box in THINGS
            if left <= (box[0] + box[2]) / 2 <= right and top <= (box[1] + box[3]) / 2 <= bottom
        ]
        answers = {
            "image": lambda: {"patch": 0, "box": self.boxes[0]},
            "find": lambda: [self._kept(box) for name, box in inside if name == arguments["name"]],
            "exists": lambda: any(name == arguments["name"] for name, _ in inside),
            "verify_property": lambda: arguments["attribute"] == "low" and top > HEIGHT / 2,
            "best_text_match": lambda: arguments["options"][-1],
            "simple_query": lambda: f"{len(inside)} things",
            "crop": lambda: self._kept([arguments[edge] for edge in ("left", "top", "right", "bottom")]),
        }
        if tool not in answers:
            raise ToolError(f"there is no {tool} here")
        return answers[tool]()

    def _kept(self, box: list[float]) -> dict[str, Any]:
        self.boxes.append(box)
        return {"patch": len(self.boxes) - 1, "box": box}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox("bubblewrap", Limits(), interface_source()) as one:
        yield one


def value_of(sandbox: Sandbox, *lines: str) -> Any:
    body = "".join(f"    {line}\n" for line in ("patch = ImagePatch(image)", *lines))
    finished = sandbox.run(f"def execute_command(image):\n{body}", Tools())
    assert finished.outcome == "ok", finished.reason
    return finished.value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[patch.left, patch.lower, patch.right, patch.upper]", [0, 0, WIDTH, HEIGHT]),
        ("[patch.width, patch.height, patch.horizontal_center, patch.vertical_center]", [100, 80, 50, 40]),
        ("len(patch.find('dog'))", 2),
        # y grows upwards: the kite, near the top of the image, has the larger y.
        ("patch.find('kite')[0].vertical_center > patch.find('dog')[0].vertical_center", True),
        ("[kite.lower for kite in patch.find('kite')] + [patch.find('kite')[0].upper]", [65, 75]),
        ("patch.exists('cat')", False),
        ("patch.find('dog')[0].verify_property('dog', 'low')", True),
        ("patch.best_text_match(['red', 'blue'])", "blue"),
        ("patch.best_text_match(['red', 'blue'], 'it is')", "blue"),
        ("patch.simple_query('What is there?')", "3 things"),
        ("patch.find('dog')[0] in patch.find('dog')", True),
        ("len(set(patch.find('dog') + patch.find('dog')))", 2),
        ("distance(*patch.find('dog'))", 30),
        ("distance(patch.find('dog')[0], patch)", 0),
        ("patch.find('dog')[0].overlaps_with(0, 0, 15, 15)", True),
        ("bool_to_yesno(patch.exists('dog'))", "yes"),
        (
            "[coerce_to_numeric(text) for text in ('3 dogs', 'about 2.5', 'Twelve', '2-4', '1,000')]",
            [3, 2.5, 12, 2, 1000],
        ),
        ("math.hypot(3, 4)", 5),
    ],
)
def test_patches_and_functions(sandbox: Sandbox, expression: str, value: Any) -> None:
    assert value_of(sandbox, f"return {expression}") == value


def test_a_crop_counts_from_the_edges_of_its_patch(sandbox: Sandbox) -> None:
    assert value_of(sandbox, "upper = patch.crop(0, 40, 100, 80)", "return upper.find('kite')[0].left") == 10
    assert value_of(sandbox, "return len(patch.crop(0, 0, 100, 40).find('dog'))") == 2
    lines = ["right = patch.crop(50, 0, 100, 80)", "part = right.crop(10, 0, 50, 40)"]
    assert value_of(sandbox, *lines, "return [part.left, part.lower, part.right, part.upper]") == [60, 0, 100, 40]
    assert value_of(sandbox, *lines, "return len(part.find('dog'))") == 1


def test_a_patch_is_made_of_an_image_of_a_patch_and_of_edges(sandbox: Sandbox) -> None:
    edges = "[part.left, part.lower, part.right, part.upper]"
    assert value_of(sandbox, "part = ImagePatch(patch.find('kite')[0])", f"return {edges}") == [10, 65, 20, 75]
    assert value_of(sandbox, "part = ImagePatch(image, 10, 0, 50, 40)", f"return {edges}") == [10, 0, 50, 40]
    assert value_of(sandbox, "part = ImagePatch(image, left=50)", f"return {edges}") == [50, 0, 100, 80]


def test_a_tool_that_fails_is_an_exception_that_a_program_can_handle(sandbox: Sandbox) -> None:
    lines = ["try:", "    return patch.compute_depth()", "except RuntimeError as error:", "    return str(error)"]
    assert value_of(sandbox, *lines) == "there is no compute_depth here"
    finished = sandbox.run("def execute_command(image):\n    return ImagePatch(image).compute_depth()\n", Tools())
    assert finished.outcome == "error"
    assert "there is no compute_depth here" in (finished.reason or "")
