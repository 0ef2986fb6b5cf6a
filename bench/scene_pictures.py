"""Images of scenes per second, on one core, against matplotlib drawing the same scenes."""

from __future__ import annotations

import io
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from whatif.engine.files import png
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scene_shapes import OUTLINES
from whatif.world.scenes import BACKGROUNDS, COLOURS, SIZES, Colour, Scene, draw_scene

_SIDE = 64
_SCENES = 2000
_PEER_SCENES = 40
SMALL = {"_SCENES": 20, "_PEER_SCENES": 2, "_ROUNDS": 1}
_ROUNDS = 5  # alternating, so that a slow moment of the machine affects both


def measure() -> dict[str, Any]:
    """Scenes of 64 x 64 pixels per second to PNG bytes: median over rounds of ours, of matplotlib's, and their ratio.

    `ours_in_memory` is without PNG, as training uses it; `ours_with_drawing_of_lots` includes sampling the scenes.
    """
    matplotlib.use("Agg")
    scenes = [draw_scene("train", number, 0) for number in range(_SCENES)]
    draw_with_matplotlib(scenes[0])  # loads fonts and back end
    speeds: dict[str, list[float]] = {"ours": [], "memory": [], "whole": [], "peer": []}
    for _ in range(_ROUNDS):
        speeds["ours"].append(_per_second(lambda scene: png.encode(draw_scene_picture(scene, _SIDE)), scenes))
        speeds["peer"].append(_per_second(draw_with_matplotlib, scenes[:_PEER_SCENES]))
        speeds["memory"].append(_per_second(lambda scene: draw_scene_picture(scene, _SIDE), scenes))
        speeds["whole"].append(
            _per_second(lambda number: draw_scene_picture(draw_scene("train", number, 0), _SIDE), range(_SCENES))
        )
    ours, peer, memory, whole = (statistics.median(speeds[side]) for side in ("ours", "peer", "memory", "whole"))
    return {
        "name": "scene-pictures",
        "ours": ours,
        "peer": peer,
        "unit": "scenes/s",
        "ratio": ours / peer,
        "peer_name": f"matplotlib {matplotlib.__version__} (Agg)",
        "ours_in_memory": memory,
        "ours_with_drawing_of_lots": whole,
    }


def draw_with_matplotlib(scene: Scene) -> bytes:
    """The same scene as a matplotlib figure with the same number of pixels, saved as PNG."""
    figure = Figure(figsize=(_SIDE / 100, _SIDE / 100), dpi=100, facecolor=_share(BACKGROUNDS[scene.background]))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(1, 0))
    axes.set_axis_off()
    for thing in scene.things:
        half = SIZES[thing.size] / 2
        for outline in OUTLINES[thing.noun]:
            points = [(thing.x + x * half, thing.y + y * half) for x, y in outline]
            axes.add_patch(Polygon(points, facecolor=_share(COLOURS[thing.colour]), linewidth=0))
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def _share(colour: Colour) -> tuple[float, ...]:
    return tuple(channel / 255 for channel in colour)


def _per_second(draw: Callable[[Any], object], items: Sequence[Any]) -> float:
    start = time.process_time()  # CPU time, which other processes do not affect
    for item in items:
        draw(item)
    return len(items) / (time.process_time() - start)
