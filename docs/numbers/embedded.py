"""What `whatif assess` measured of the embedded checkpoints, for docs/embedded.md and others."""

from __future__ import annotations

from collections.abc import Callable

from docs.numbers.markdown import markdown, read_json


def _measured(model: str, *keys: str) -> float:
    """A number that `whatif assess` stored with an embedded checkpoint; of a share, the share itself."""
    found = read_json(f"src/whatif/world/checkpoints/{model}/accuracy.json")
    for key in keys:
        found = found[key]
    return float(found["accuracy"] if isinstance(found, dict) else found)


def _share(model: str, *keys: str) -> Callable[[], str]:
    return lambda: f"{100 * _measured(model, *keys):.0f}%"


def _exact_share(model: str, *keys: str) -> Callable[[], str]:
    """With one decimal, where a whole percentage would round a fault away."""
    return lambda: f"{100 * _measured(model, *keys):.1f}%"


def _regions() -> str:
    """From the hardest to the easiest of the flower puzzles."""
    groups = ("flower-recolour", "flower-removal", "flower-removal-other")
    shares = [_measured("llava-original", "free answers", "original", group) for group in groups]
    return f"{100 * min(shares):.0f}% to {100 * max(shares):.0f}%"


_OF_CATEGORIES = ("llava-scenes", "llava-presuppositions")


def _categories() -> str:
    """Accuracies of embedded LLaVAs in CFMM's categories, for basic and for counterfactual questions."""
    found = {
        model: read_json(f"src/whatif/world/checkpoints/{model}/accuracy.json")["two options"]
        for model in _OF_CATEGORIES
    }
    kinds = ("basic", "counterfactual")
    rows = [("category", *(f"`{model}`, {kind}" for model in found for kind in kinds))]
    for category in found[_OF_CATEGORIES[0]]:
        shares = [of_model[category][kind]["accuracy"] for of_model in found.values() for kind in kinds]
        rows.append((category, *(f"{100 * share:.0f}%" for share in shares)))
    return markdown(rows, text_columns=1)


def _causes() -> str:
    """Accuracies of the embedded LLaVA of causes and effects, by form and task."""
    found = read_json("src/whatif/world/checkpoints/llava-causes/accuracy.json")
    tasks = list(found["text"])
    rows = [("form", *tasks)]
    for form, of_form in found.items():
        rows.append((form, *(f"{100 * of_form[task]['accuracy']:.0f}%" for task in tasks)))
    return markdown(rows, text_columns=1)


def _detector() -> str:
    """How often the embedded detector finds as many things as there are, of its worst and of its best kind of query.

    Without queries that mostly find nothing.
    """
    found = read_json("src/whatif/world/checkpoints/owlv2/accuracy.json")["scenes"]
    shares = [100 * kind["count"]["accuracy"] for kind in found.values() if {"precision", "recall"} <= kind.keys()]
    return f"{min(shares):.1f}% to {max(shares):.1f}%"


def _worst_nouns() -> str:
    """The three nouns that the embedded diffusion pipeline draws worst, with the share of right things."""
    nouns = read_json("src/whatif/world/checkpoints/diffusion/accuracy.json")["nouns"]
    worst = sorted(nouns, key=lambda noun: (nouns[noun]["accuracy"], noun))[:3]
    return ", ".join(f"`{noun}` ({100 * nouns[noun]['accuracy']:.0f}% of {nouns[noun]['n']})" for noun in worst)


_ANSWERS = ("free answers", "original")
NUMBERS: dict[str, Callable[[], str]] = {
    "writer, numbers": _exact_share("writer", "direct", "right"),
    "writer, yes or no": _exact_share("writer", "boolean", "right"),
    "all dots": _share("llava-original", *_ANSWERS, "dot-removal"),
    "regions": _regions,
    "numbers in scenes": _share("llava-original", "free answers", "scenes", "number"),
    "yes or no": _share("llava-original", "free answers", "scenes", "yes/no"),
    "edits": _share("vilt", "edits", "one and pair", "all", "picture"),
    "drawn": _share("diffusion", "captions", "all"),
    "categories": _categories,
    "causes": _causes,
    "detector": _detector,
    "detector, halves": _exact_share("owlv2", "crops", "half of a scene"),
    "detector, crops": _exact_share("owlv2", "crops", "around a thing"),
    "worst nouns": _worst_nouns,
}
