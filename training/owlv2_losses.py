"""Targets and losses of a detector on a grid of patches: which patch finds which thing, and its box.

A thing belongs to the patch that contains its centre, as in one-stage detectors. The losses are the sigmoid focal loss
(Lin et al. 2017, "Focal Loss for Dense Object Detection", section 3) and, for boxes, those of DETR (Carion et al. 2020,
section 3.1): L1 and generalised intersection over union (Rezatofighi et al. 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.owlv2_queries import Asked, found
from whatif.world.scenes import SIZES, Thing

_NEAR = 2 / 64  # how far outside a patch a thing's centre may be for the patch not to count as background
_GAMMA = 2.0  # of the focal loss
_FLAT = 1e-6  # how close to 0 or 1 a coordinate may be for its logit to be finite


@dataclass(frozen=True)
class Targets:
    """For n images with p patches each, and q queries."""

    found: NDArray[np.bool_]  # (n, p, q) whether the patch contains the centre of a thing that the query finds
    here: NDArray[np.bool_]  # (n, p) whether the patch contains the centre of a thing
    near: NDArray[np.bool_]  # (n, p) the same, or a centre is close to the patch: neither a thing nor background
    boxes: NDArray[np.float32]  # (n, p, 4) the box of that thing: centre, width, height as fractions of the side


def box_of(thing: Thing) -> tuple[float, float, float, float]:
    """The square around a thing: centre, width and height as fractions of the image's side."""
    return thing.x, thing.y, SIZES[thing.size], SIZES[thing.size]


def targets_of(asked: Asked, across: int) -> Targets:
    """The targets for a grid of `across` by `across` patches, row by row."""
    number, patches = len(asked.scenes), across * across
    middles = (np.arange(across) + 0.5) / across
    targets = Targets(
        found=np.zeros((number, patches, len(asked.queries)), np.bool_),
        here=np.zeros((number, patches), np.bool_),
        near=np.zeros((number, patches), np.bool_),
        boxes=np.zeros((number, patches, 4), np.float32),
    )
    for place, scene in enumerate(asked.scenes):
        by_thing = found(asked.queries, scene.things).T
        for thing, by_query in zip(scene.things, by_thing, strict=True):
            own = int(thing.y * across) * across + int(thing.x * across)
            rows, columns = (np.abs(middles - centre) <= 0.5 / across + _NEAR for centre in (thing.y, thing.x))
            close = np.logical_and.outer(rows, columns).ravel()
            targets.near[place] |= close
            targets.boxes[place, close] = box_of(thing)
            targets.here[place, own] = True
            targets.found[place, own] = by_query
    return targets


def detection_losses(logits: Any, objectness: Any, boxes: Any, targets: Targets) -> dict[str, Any]:
    """The losses by name, for logits (n, p, q), logits of objectness (n, p) and boxes (n, p, 4).

    `edges` is the distance of the boxes before their sigmoid. OWLv2 begins with a box at the lower right corner of each
    patch. In the last row and column this is the image's edge, where the sigmoid is flat: without this loss, the boxes
    there would never move.
    """
    import torch

    device = logits.device
    found_here, here, near = (torch.from_numpy(part).to(device) for part in (targets.found, targets.here, targets.near))
    judged = here | ~near
    wanted, given = torch.from_numpy(targets.boxes).to(device)[near], boxes[near]
    return {
        "queries": focal_loss(logits[judged], found_here[judged]),
        "objectness": focal_loss(objectness[judged], here[judged]),
        "distance": 5 * (given - wanted).abs().sum(dim=-1).mean(),
        "edges": 0.2 * (torch.logit(given, _FLAT) - torch.logit(wanted, _FLAT)).abs().sum(dim=-1).mean(),
        "overlap": 2 * (1 - generalised_overlap(given, wanted)).mean(),
    }


def focal_loss(logits: Any, right: Any) -> Any:
    """The sigmoid focal loss, summed and divided by the number of positive targets."""
    import torch

    entropy = torch.nn.functional.binary_cross_entropy_with_logits(logits, right.float(), reduction="none")
    missed = torch.where(right, torch.sigmoid(-logits), torch.sigmoid(logits))
    return (missed**_GAMMA * entropy).sum() / right.sum().clamp(min=1)


def generalised_overlap(first: Any, second: Any) -> Any:
    """The generalised intersection over union, from -1 to 1, of boxes (n, 4) in pairs: centre, width, height."""
    import torch

    (low, high), (other_low, other_high) = (
        (box[:, :2] - box[:, 2:] / 2, box[:, :2] + box[:, 2:] / 2) for box in (first, second)
    )
    shared = (torch.minimum(high, other_high) - torch.maximum(low, other_low)).clamp(min=0).prod(dim=-1)
    union = (high - low).prod(dim=-1) + (other_high - other_low).prod(dim=-1) - shared
    hull = (torch.maximum(high, other_high) - torch.minimum(low, other_low)).prod(dim=-1)
    return shared / union - (hull - union) / hull
