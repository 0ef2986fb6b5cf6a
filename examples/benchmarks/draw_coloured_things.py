"""Draws the pictures and the table of the example `prior-against-picture`: things in usual and unusual colours.

    python examples/benchmarks/draw_coloured_things.py sources/coloured-things --pictures 3000

writes `sources/coloured-things/pictures/*.png` and `sources/coloured-things/table.csv`, the same for the same seed.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io
from pathlib import Path

from whatif.engine.files import png
from whatif.engine.files.atomic import write_whole
from whatif.engine.random_streams import stream
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scenes import draw_scene

USUAL = {"heart": "red", "tree": "green", "moon": "yellow", "star": "yellow"}
COLOURS = ("red", "yellow", "green", "blue")
SIDE = 224  # pixels


def draw(folder: Path, pictures: int, seed: int) -> None:
    """Writes the pictures and the table; each picture shows one thing, in one of the colours with equal probability."""
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["picture", "thing", "colour", "usual", "background"])
    for number in range(pictures):
        generator = stream(seed, "coloured-things", number)
        noun = list(USUAL)[int(generator.integers(len(USUAL)))]
        colour = COLOURS[int(generator.integers(len(COLOURS)))]
        scene = draw_scene("test", number, seed, "one")  # the embedded models were trained on other layouts
        scene = dataclasses.replace(scene, things=(dataclasses.replace(scene.things[0], noun=noun, colour=colour),))
        name = f"{number:05d}.png"
        write_whole(folder / "pictures" / name, png.encode(draw_scene_picture(scene, SIDE)), durable=False)
        table.writerow([name, noun, colour, USUAL[noun], scene.background])
    write_whole(folder / "table.csv", text.getvalue().encode())


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=2024)
    given = parser.parse_args()
    draw(given.folder, given.pictures, given.seed)


if __name__ == "__main__":
    main()
