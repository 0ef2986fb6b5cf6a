"""Which licences allow a picture to be published, and how they are named on the hub and in Croissant."""

from __future__ import annotations

import pytest

from whatif.engine.graph.lineage import Lineage, MadeBy
from whatif.formats.coco_photographs import LICENCE
from whatif.results.publishing.facts import text_licence, text_sources
from whatif.results.publishing.licences import Terms, hub_licence, licence_url, terms
from whatif.results.publishing.pictures import without_folder
from whatif.results.publishing.private_text import without_folders, without_private


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("CC0-1.0", Terms.FREE),
        ("CC-BY-4.0", Terms.FREE),
        ("cc by-sa 3.0", Terms.FREE),
        ("CC-BY-NC-SA-2.0", Terms.NON_COMMERCIAL),
        ("Attribution-NonCommercial License", Terms.NON_COMMERCIAL),
        ("Attribution License", Terms.FREE),
        ("No known copyright restrictions", Terms.FREE),
        ("Attribution-NoDerivs License", Terms.WITHHELD),
        ("CC-BY-ND-4.0", Terms.WITHHELD),
        ("unknown", Terms.WITHHELD),
        ("", Terms.WITHHELD),
        ("All rights reserved", Terms.WITHHELD),
        (LICENCE, Terms.WITHHELD),
        ("CC0-1.0; CC-BY-NC-4.0", Terms.NON_COMMERCIAL),
        ("CC0-1.0; unknown", Terms.WITHHELD),
        ("CC0-1.0; ", Terms.WITHHELD),
    ],
)
def test_a_licence_that_is_not_known_to_allow_it_is_withheld(licence: str, allowed: Terms) -> None:
    assert terms(licence) is allowed


def test_names_of_licences_elsewhere() -> None:
    assert (hub_licence("CC-BY-4.0"), hub_licence("Attribution License")) == ("cc-by-4.0", "other")
    assert licence_url("CC-BY-NC-SA-4.0") == "https://creativecommons.org/licenses/by-nc-sa/4.0/"
    assert licence_url("CC0-1.0") == "https://creativecommons.org/publicdomain/zero/1.0/"
    assert licence_url("Attribution License") == "Attribution License"


def test_folders_of_this_machine_are_no_part_of_a_source() -> None:
    assert without_folder("file:/home/ada/cat.png") == "file:cat.png"
    assert without_folder("icons-50:flower/apple_12.png") == "icons-50:flower/apple_12.png"
    assert without_folder("drawn:daisy") == "drawn:daisy"
    for text, left in (
        ("/home/ada/cat.png", "cat.png"),
        ("~/data/x.csv", "x.csv"),
        ("../x.csv", "x.csv"),
        ("C:\\data\\x.csv", "x.csv"),
        ("data/x.csv", "data/x.csv"),
        ("and/or", "and/or"),
        ("no, /yes/", "no, /yes/"),
    ):
        assert without_folders(text) == left


def test_texts_from_outside_need_a_licence_and_folders_of_pictures_labels_and_checkpoints_do_not() -> None:
    sources = {"/data/captions.json": "1", "val2014": "2", "labels.csv": "3", "lab/clip": "4"}
    steps = (
        MadeBy("extract", "ours", {}, {"extract.ours.captions": "/data/captions.json"}, sources),
        MadeBy("extract", "ours", {}, {"extract.ours.image_folders": ["val2014"]}, sources),
        MadeBy("generate", "ours", {}, {"generate.ours.clip.checkpoint": "lab/clip"}, sources),
        MadeBy("generate", "ours", {}, {"models.w.adapter": "hf-chat", "models.w.checkpoint": "embedded:writer"}),
        MadeBy("verify", "ours", {}, {"verify.ours.labels": "labels.csv"}, sources),
    )
    ours = Lineage({"generate.ours.clip.checkpoint": "lab/clip"}, sources, (), steps)
    assert text_sources(ours) == ["captions.json"] and text_licence("ours", ours, {}) == ""
    assert text_licence("ours", ours, {"ours": "CC-BY-4.0"}) == "CC-BY-4.0"
    drawn = Lineage(ours.parameters, sources, (), steps[1:])
    assert text_sources(drawn) == [] and text_licence("ours", drawn, {}) == "CC0-1.0"
    models = {"models.chat.adapter": "hf-chat", "models.chat.checkpoint": "lab/chat", "models.far.adapter": "openai"}
    writers = MadeBy("generate", "ours", {}, models)
    assert text_sources(Lineage({}, {}, (), (writers,))) == ["far", "lab/chat"]


def test_a_name_is_replaced_wherever_it_is_a_whole_text() -> None:
    names = {"Ada": "annotator-1"}
    assert without_private('{"Ada":["Ada","Adagio",{"x":"/a/b"}],"n":1}', names) == (
        '{"annotator-1":["annotator-1","Adagio",{"x":"b"}],"n":1}'
    )
