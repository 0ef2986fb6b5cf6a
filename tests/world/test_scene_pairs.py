"""Pairs of captions that differ in one noun, and images that do not show the requested content."""

from __future__ import annotations

import json
from dataclasses import replace

from whatif.world.scene_image import draw_scene_picture
from whatif.world.scene_pairs import caption_pair, picture_defects
from whatif.world.scene_words import with_article
from whatif.world.scenes import draw_scene


def test_captions_differ_in_the_noun_alone_and_depend_on_their_number() -> None:
    pairs = [caption_pair("test", number, 5) for number in range(200)]
    assert pairs[17] == caption_pair("test", 17, 5) != caption_pair("test", 17, 6)
    for pair in pairs:
        first, second = pair["subject_0"], pair["subject_1"]
        assert first != second
        changed = pair["caption_0"]
        for article in (with_article(first), first):
            changed = changed.replace(article, article.replace(with_article(first), with_article(second)))
        changed = changed.replace(first, second)
        assert changed == pair["caption_1"]
        assert json.loads(pair["provenance"])["colour"] in pair["caption_0"]


def test_a_true_picture_has_no_defect_and_each_change_is_named() -> None:
    scene = replace(draw_scene("test", 3, 5, "one"), background="white")
    thing = replace(scene.things[0], colour="blue", noun="cup", size="large")
    scene = replace(scene, things=(thing,))
    picture = draw_scene_picture(scene)
    asked = {"noun": "cup", "colour": "blue", "background": "white"}
    assert picture_defects(picture, **asked, least_score=0.8) == []
    for name, other, what in (
        ("noun", "ball", "object"),
        ("colour", "red", "colour"),
        ("background", "black", "background"),
    ):
        ((found, line),) = picture_defects(picture, **{**asked, name: other}, least_score=0.8)
        assert (found, line) == (what, f"{what}: {asked[name]} is seen, {other} was asked for")
