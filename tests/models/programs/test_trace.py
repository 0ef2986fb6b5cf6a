"""The page that shows how a program ran: its rows, its pictures, and that text in it is data."""

from __future__ import annotations

import base64
import re
from io import BytesIO

import pytest
from PIL import Image

from tests.models.programs.steps.test_steps import SCENE, shown
from whatif.engine.params.programs import Limits
from whatif.models.programs.interfaces import Finished
from whatif.models.programs.sandbox.pool import Sandbox
from whatif.models.programs.steps import run_steps
from whatif.models.programs.tools.oracle import OracleTools
from whatif.models.programs.trace import TracedCalls, trace_page
from whatif.models.programs.viper_source import interface_source
from whatif.world.scene_image import draw_scene_picture

PICTURE = draw_scene_picture(SCENE, 100)


class Drawn:
    """The picture of the scene."""

    image_id = "drawn"
    pixels = PICTURE


def calls() -> TracedCalls:
    return TracedCalls(OracleTools(shown), Drawn())


def pictures(page: str) -> list[Image.Image]:
    found = re.findall(r'src="data:image/png;base64,([^"]+)"', page)
    return [Image.open(BytesIO(base64.b64decode(data))) for data in found]


def test_a_program_in_steps_is_shown_step_by_step() -> None:
    code = (
        "BOX0=LOC(image=IMAGE,object='box')\nIMAGE0=CROP_ABOVE(image=IMAGE,box=BOX0)\n"
        "BOX1=LOC(image=IMAGE0,object='ball')\nANSWER0=COUNT(box=BOX1)\nFINAL_RESULT=RESULT(var=ANSWER0)\n"
    )
    seen = calls()
    page = trace_page("How many?", code, run_steps(code, seen, Limits()), seen, PICTURE)
    rows = re.findall(r"<li><code>(.*?)</code><br>(.*)", page)
    assert [value for _, value in rows] == ["boxes: 1", "&#34;a part of the image&#34;", "boxes: 2", "2", "2"]
    whole, with_box, above, with_balls = pictures(page)
    assert whole.size == with_box.size == with_balls.size == (100, 100)
    assert above.size == (100, 70)
    assert whole.tobytes() != with_box.tobytes() != with_balls.tobytes()
    assert "The result is 2." in page


@pytest.mark.process
def test_a_program_in_python_is_shown_by_its_calls() -> None:
    code = "def execute_command(image):\n    return len(ImagePatch(image).find('<ball>')) + undefined\n"
    seen = calls()
    with Sandbox("bubblewrap", Limits(), interface_source()) as sandbox:
        page = trace_page("<script>?", code, sandbox.run(code, seen), seen, PICTURE)
    assert re.findall(r"<li><code>(\w+)\(", page) == ["image", "find"]
    assert "<script>" not in page and "<ball>" not in page and "&lt;ball&gt;" in page
    assert "error: NameError" in page


def test_a_large_picture_is_made_small_and_a_long_run_is_cut() -> None:
    seen = calls()
    for _ in range(205):
        seen("find", {"patch": 0, "name": "ball"})
    page = trace_page("?", "", Finished("ok", 1), seen, PICTURE.resize((2000, 1000)))
    assert "5 further calls are not shown." in page
    assert {max(picture.size) for picture in pictures(page)} == {320, 100}
