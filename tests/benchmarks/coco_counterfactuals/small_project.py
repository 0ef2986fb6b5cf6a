"""A small project of COCO-Counterfactuals."""

from __future__ import annotations

from pathlib import Path

from tests.projects import Project

NAME = "coco-counterfactuals"


def small(project: Project, checkpoints: Path) -> Project:
    """A project with a few captions of scenes, the embedded language models, and tiny models of images."""
    project.select(NAME)
    project.section("extract")["scenes"] = 5
    clip = {"checkpoint": str(checkpoints / "clip"), "batch_size": 4}
    diffusion = {"checkpoint": str(checkpoints / "diffusion"), "steps": 2, "batch_size": 2}
    project.generate["shards"] = 2
    project.generate["captions"]["replacements"] = 6
    project.generate["pictures"].update(candidates=3, diffusion=diffusion, clip=clip)
    # The images of random weights resemble nothing.
    thresholds = {"caption_image": -1.0, "image_image": -1.0, "directional": -1.0}
    project.values["filter"][NAME] = {**thresholds, "without_prompt_to_prompt": 2}
    project.section("verify")["labelled_three_times"] = 0.5
    project.section("aggregate")["shown_pairs"] = 2
    project.values["models"] = {
        "random": {"adapter": "random"},
        "clip": {"adapter": "dual-encoder", "name": "CLIP <tiny>", **clip},
        "vilt": {"adapter": "cross-encoder", "checkpoint": str(checkpoints / "vilt")},
    }
    return project
