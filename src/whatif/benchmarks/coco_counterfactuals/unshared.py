"""Some pairs of images again without Prompt-to-Prompt, for Figure 2 of COCO-Counterfactuals (3.2)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.images import filter_
from whatif.benchmarks.coco_counterfactuals.settings import CocoCounterfactualsSettings, UnsharedSettings
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.artifacts.schemas import IMAGES, PAIRS
from whatif.engine.graph.steps import StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.random_streams import sample


@StepsOf(CocoCounterfactualsSettings)(
    "filter",
    name="unshared",
    reads=lambda s: UnsharedSettings(
        s.filter.without_prompt_to_prompt, s.generate.pictures.diffusion, s.generate.pictures.clip
    ),
    seed=True,
    inputs={"pairs": filter_["pairs"]},
    outputs={"unshared-pairs": PAIRS, "unshared-images": IMAGES},
)
def unshared(task: Task[UnsharedSettings]) -> None:
    """Draws a random sample of the chosen candidates again, with the same noise but without sharing (Figure 2)."""
    from whatif.models.prompt_to_prompt.unshared_images import without_sharing

    settings = task.settings
    pairs = list(task.rows("pairs"))
    drawn = sample(task.seed, "without prompt-to-prompt", [row["pair_id"] for row in pairs], settings.number)
    rows = []
    with SortedImages(task.outputs.writer("unshared-images")) as images:
        chosen = [row for row in pairs if row["pair_id"] in drawn]
        for row, pictures in without_sharing(chosen, settings.diffusion, settings.clip, what="without sharing"):
            rows.append(row)
            for picture in pictures:
                images.add(picture)
    task.outputs.write("unshared-pairs", rows)
