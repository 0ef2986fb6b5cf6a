"""Puzzle images per second, on one core, against matplotlib drawing the same scenes."""

from __future__ import annotations

import io
import statistics
import time
from collections.abc import Callable
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon
from PIL import Image

from whatif.benchmarks.cvqa_synthetic import dot_puzzle, flower_puzzle
from whatif.benchmarks.cvqa_synthetic.dot_puzzle import lay_out_dots
from whatif.benchmarks.cvqa_synthetic.flower_puzzle import lay_out_flowers
from whatif.benchmarks.cvqa_synthetic.flowers import drawn_flowers
from whatif.benchmarks.cvqa_synthetic.options import puzzle_text
from whatif.benchmarks.cvqa_synthetic.puzzle_image import FlowerPictures, dot_puzzle_colours, draw_puzzle
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.engine.params.base import Range
from whatif.engine.random_streams import stream
from whatif.world.drawing.palette import POLYGON_COLOURS, Colour

_PUZZLES_A_TEMPLATE = 20
_PEER_PUZZLES_A_TEMPLATE = 5
SMALL = {"_PUZZLES_A_TEMPLATE": 2, "_PEER_PUZZLES_A_TEMPLATE": 1, "_ROUNDS": 1}
_ROUNDS = 5  # alternating, so that a slow moment of the machine affects both
_SETTINGS = GeneratePuzzles(
    puzzles_per_template=_PUZZLES_A_TEMPLATE,
    shards=1,
    image_size=448,
    options="exchangeable",
    flowers_per_region=Range(low=1, high=8),
    dots_per_circle=Range(low=1, high=9),
    smallest_region=0.03,
    smallest_gap=0.3,
)


def measure() -> dict[str, Any]:
    """Images per second from scene to PNG bytes: median over rounds of ours, of matplotlib's, and their ratio.

    `ours_with_text_and_layout` includes making the questions, options and scene.
    """
    matplotlib.use("Agg")
    rows = drawn_flowers(96)
    flowers = FlowerPictures(rows)
    arrays = {row["image_id"]: np.asarray(Image.open(io.BytesIO(row["image"]["bytes"]))) for row in rows}
    whole = [(group, number) for group in GROUPS for number in range(_PUZZLES_A_TEMPLATE)]
    scenes = [_scene(group, number, flowers) for group, number in whole]
    peer_scenes = [scene for scene in scenes if int(scene["pair_id"][-3:]) < _PEER_PUZZLES_A_TEMPLATE]
    speeds: dict[str, list[float]] = {"ours": [], "whole": [], "peer": []}
    draw_with_matplotlib(peer_scenes[0], arrays)  # loads fonts and back end
    for _ in range(_ROUNDS):
        speeds["ours"].append(_per_second(lambda scene: draw_puzzle(scene, flowers), scenes))
        speeds["peer"].append(_per_second(lambda scene: draw_with_matplotlib(scene, arrays), peer_scenes))
        speeds["whole"].append(_per_second(lambda place: draw_puzzle(_scene(*place, flowers), flowers), whole))
    ours, peer, with_layout = (statistics.median(speeds[side]) for side in ("ours", "peer", "whole"))
    return {
        "name": "puzzle-images",
        "ours": ours,
        "peer": peer,
        "unit": "images/s",
        "ratio": ours / peer,
        "peer_name": f"matplotlib {matplotlib.__version__} (Agg)",
        "ours_with_text_and_layout": with_layout,
    }


def draw_with_matplotlib(row: dict[str, Any], flowers: dict[str, Any]) -> bytes:
    """The same puzzle as a matplotlib figure with the same number of pixels, saved as PNG."""
    side = row["image_size"]
    figure = Figure(figsize=(side / 100, side / 100), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, side), ylim=(side, 0))
    axes.set_axis_off()
    for polygon in row["polygons"]:
        points = [(point["x"], point["y"]) for point in polygon["points"]]
        width = flower_puzzle.OUTLINE_WIDTH * side * 0.72  # points
        axes.add_patch(
            Polygon(points, fill=False, edgecolor=_share(POLYGON_COLOURS[polygon["colour"]]), linewidth=width)
        )
    for flower in row["flowers"]:
        x, y, radius = flower["x"], flower["y"], flower["radius"]
        axes.imshow(flowers[flower["image_id"]], extent=(x - radius, x + radius, y + radius, y - radius), zorder=2)
    if row["circles"]:
        outline, dot = (_share(colour) for colour in dot_puzzle_colours(row["pair_id"]))
        width = dot_puzzle.OUTLINE_WIDTH * side
        for circle in row["circles"]:
            centre, radius = (circle["x"], circle["y"]), circle["radius"] - width / 2
            axes.add_patch(Circle(centre, radius, fill=False, edgecolor=outline, linewidth=width * 0.72))
            for place in circle["dots"]:
                axes.add_patch(Circle((place["x"], place["y"]), row["dot_radius"], facecolor=dot, linewidth=0))
    axes.set(xlim=(0, side), ylim=(side, 0))
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def _scene(group: str, number: int, flowers: FlowerPictures) -> dict[str, Any]:
    text = puzzle_text(group, number, 0, _SETTINGS)
    generator = stream(0, "layout", group, number)
    if text.words.colours:
        scene = lay_out_flowers(text.counts, text.words.colours, flowers.image_ids, _SETTINGS, generator)
    else:
        scene = lay_out_dots(text.counts, _SETTINGS, generator)
    return {"pair_id": f"{group}-{number:03}", "image_size": _SETTINGS.image_size, **scene}


def _share(colour: Colour) -> tuple[float, ...]:
    return tuple(channel / 255 for channel in colour)


def _per_second(draw: Callable[[Any], bytes], items: list[Any]) -> float:
    start = time.process_time()  # CPU time, which other processes do not affect
    for item in items:
        draw(item)
    return len(items) / (time.process_time() - start)
