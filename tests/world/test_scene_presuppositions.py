"""Presuppositions about scenes: which are offered for a question, and which say too much or are ambiguous."""

from __future__ import annotations

from typing import Any

from whatif.world.scene_presuppositions import KINDS, presuppositions
from whatif.world.scenes import Scene, Thing, draw_scene

STAR = Thing("star", "red", "small", 0.5, 0.8)
BALL = Thing("ball", "blue", "small", 0.55, 0.2)
RED_BALL = Thing("ball", "red", "large", 0.77, 0.5)


def changes_of(scene: Scene, counted: dict[str, str], kind: str) -> list[dict[str, Any]]:
    return [one.change for one in presuppositions(scene, counted) if one.kind == kind]


def wordings_of(scene: Scene, counted: dict[str, str]) -> list[str]:
    return [wording for one in presuppositions(scene, counted) for wording in one.wordings]


def test_margins_keep_ambiguous_places_out() -> None:
    """A ball across the middle is in neither half; a ball above a star's middle is not left or right of it."""
    scene = Scene("near", "white", (STAR, BALL))
    hidden = [change["hide"] for change in changes_of(scene, {"noun": "ball"}, "visibility")]
    covered = {which["within"] for which in hidden if "within" in which}
    clear = {"top half", "bottom half", "bottom third", "left third", "bottom left quarter", "bottom right quarter"}
    assert covered == clear
    removed = [change["remove"] for change in changes_of(scene, {"noun": "ball"}, "position")]
    assert {which["further"] for which in removed if "further" in which} == {"above", "below"}


def test_a_question_about_balls_is_not_answered_by_its_condition() -> None:
    """Neither `all balls` (none would be left) nor `all stars` (no ball would go), nor another colour of a ball."""
    scene = Scene("scene", "white", (STAR, BALL, RED_BALL))
    removed = [change["remove"] for change in changes_of(scene, {"noun": "ball"}, "removal")]
    assert {"colour": "red"} in removed and {"noun": "ball", "colour": "blue"} in removed
    assert {"size": "large"} in removed and {"not": {"colour": "blue"}} in removed
    assert not any(which.get("noun", "ball") != "ball" or which == {"noun": "ball"} for which in removed)
    of_blue = [change["remove"] for change in changes_of(scene, {"noun": "ball", "colour": "blue"}, "removal")]
    assert of_blue and all(which.keys() & {"size", "not"} for which in of_blue)


def test_the_only_star_is_not_named_where_stars_are_counted() -> None:
    """`the star` would say that there is one."""
    scene = Scene("scene", "white", (STAR, BALL, RED_BALL))
    assert any("the star" in wording for wording in wordings_of(scene, {"noun": "ball"}))
    assert not any("the star" in wording for wording in wordings_of(scene, {"noun": "star"}))
    assert not any("the blue ball" in words for words in wordings_of(scene, {"noun": "ball", "colour": "blue"}))
    assert any("the blue ball" in wording for wording in wordings_of(scene, {"noun": "ball"}))


def test_one_thing_is_not_hidden_for_certain() -> None:
    """The colour of the background is that of present things; one counted thing would always have it."""
    one, three = Scene("one", "white", (BALL,)), Scene("three", "white", (STAR, BALL, RED_BALL))
    assert not any("background" in wording for wording in wordings_of(one, {}))
    assert any("background" in wording for wording in wordings_of(three, {}))
    removed = [change["remove"] for change in changes_of(one, {}, "removal")]
    assert {"colour": "blue"} in removed and any(which.get("colour") not in ("blue", None) for which in removed)


def test_sizes_are_named_only_where_there_are_both() -> None:
    small = Scene("small", "white", (STAR, BALL))
    assert not any("small" in wording for wording in wordings_of(small, {}))
    assert any("small" in wording for wording in wordings_of(Scene("both", "white", (STAR, RED_BALL)), {}))


def test_nothing_is_supposed_that_is_so_already() -> None:
    exchanges = changes_of(Scene("one", "white", (BALL,)), {"colour": "blue"}, "exchange")
    assert exchanges and not any(change.get("to") == "blue" for change in exchanges)


def test_many_scenes_have_all_kinds() -> None:
    found = [
        {one.kind for one in presuppositions(scene, {"noun": scene.things[0].noun})}
        for scene in (draw_scene("train", number, 6, "counted") for number in range(200))
    ]
    assert sum(kinds == set(KINDS) for kinds in found) > 0.9 * len(found)
