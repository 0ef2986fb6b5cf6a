"""Hyponyms and hypernyms, in a WordNet of a few lines and in the real one."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from whatif.engine.errors import WhatifError
from whatif.engine.language.human_words import HUMAN_WORDS, is_human
from whatif.engine.language.wordnet import WordNet, load_wordnet

LICENCE = "  1 This software and database is being provided to you  \n"
# entity > animal > dog, cat; entity > person > man > boy; `fellow`, below man, is an untagged sense of dog.
DATA = """
00000001 03 n 01 entity 0 000 | what is
00000002 03 n 02 animal 0 beast 0 001 @ 00000001 n 0000 | a living | being
00000003 03 n 01 dog 0 002 @ 00000002 n 0000 ~ 00000009 n 0000 | barks
00000004 03 n 01 cat 0 001 @ 00000002 n 0000 | mews
00000005 03 n 01 person 0 001 @ 00000001 n 0000 | someone
00000006 03 n 01 man 0 001 @ 00000005 n 0000 | grown
00000007 03 n 01 boy 0 001 @ 00000006 n 0000 | young
00000008 03 n 02 sofa 0 couch 0 001 @ 00000001 n 0000 | seat
00000009 03 n 01 rex 0 001 @i 00000003 n 0000 | a dog of that name
00000010 03 n 01 fellow 0 001 @ 00000006 n 0000 | informal
00000011 03 n 0a a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 bus 0 001 @ 00000001 n 0000 | ten words
"""
INDEX = """
animal n 1 2 @ ~ 1 1 00000002
boy n 2 1 @ 2 2 00000001 00000007
bus n 1 1 @ 1 1 00000011
cat n 1 1 @ 1 1 00000004
child n 1 1 @ 1 0 00000007
couch n 1 1 @ 1 0 00000008
dog n 2 1 @ 2 1 00000003 00000010
entity n 1 0 1 1 00000001
kid n 1 1 @ 1 1 00000004
man n 1 1 @ 1 1 00000006
person n 1 1 @ 1 1 00000005
rex n 1 1 @i 1 0 00000009
sofa n 1 1 @ 1 1 00000008
"""
EXCEPTIONS = "men man\nchildren child\n"


def files() -> dict[str, str]:
    return {"data.noun": LICENCE + DATA.lstrip(), "index.noun": LICENCE + INDEX.lstrip(), "noun.exc": EXCEPTIONS}


def written(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def tiny(tmp_path: Path) -> WordNet:
    found = load_wordnet(str(written(tmp_path)))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("original", "counterfactual", "relation"),
    [
        ("animal", "dog", "hyponym"),
        ("dog", "animal", "hypernym"),
        ("entity", "dog", "hyponym"),  # at any distance
        ("person", "boy", "hyponym"),  # by its second sense
        ("dog", "rex", "hyponym"),  # an instance
        ("dog", "cat", None),
        ("dog", "man", None),  # the sense in which it is one does not occur
        ("sofa", "couch", None),
        ("dog", "dog", None),
        ("dog", "zebra", None),  # unknown
        ("Men", "boys", "hyponym"),
        ("people", "men", "hyponym"),
        ("men", "kids", "hyponym"),  # children
        ("entity", "buses", "hyponym"),
        ("entity", "glass", None),
    ],
)
def test_relations(tiny: WordNet, original: str, counterfactual: str, relation: str | None) -> None:
    assert tiny.relation(original, counterfactual) == relation


def test_plurals_are_their_singulars(tiny: WordNet) -> None:
    assert tiny.lemmas("dogs") == ["dog"]
    assert tiny.lemmas("Children") == ["child"]
    assert tiny.lemmas("kids") == ["child", "kid"]
    assert tiny.lemmas("bus") == ["bus"]
    assert tiny.lemmas("s") == [] and tiny.lemmas("") == []


def test_a_zip_file_is_read_as_nltk_leaves_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk

    (tmp_path / "corpora").mkdir()
    with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w") as packed:
        for name, text in files().items():
            packed.writestr(f"wordnet/{name}", text)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    found = load_wordnet()
    assert found is not None and len(found.senses) == 13
    written(tmp_path / "corpora" / "wordnet")
    assert load_wordnet() == found


def test_without_wordnet_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr("whatif.engine.language.wordnet._DEBIAN", tmp_path / "none")
    assert load_wordnet() is None
    with pytest.raises(WhatifError, match="no such folder"):
        load_wordnet(str(tmp_path / "none"))


@pytest.fixture(scope="module")
def real() -> WordNet:
    found = load_wordnet()
    if found is None or len(found.senses) < 100_000:
        pytest.skip("needs WordNet, of NLTK or of Debian's wordnet-base")
    return found


def test_the_papers_examples_are_found_in_wordnet(real: WordNet) -> None:
    below = "woman girl, kids girls, person man, person woman, people men, people kid, building house, man boy"
    for pair in below.split(", "):
        original, counterfactual = pair.split()
        assert real.relation(original, counterfactual) == "hyponym", pair
        assert real.relation(counterfactual, original) == "hypernym", pair
    assert real.relation("couple", "group") == "hypernym"
    assert real.relation("dog", "animal") == "hypernym"
    for pair in ("man woman", "dog cat", "man cat", "person dog", "woman doll", "bus train", "sofa couch"):
        assert real.relation(*pair.split()) is None, pair


def test_the_human_taxonomy_has_fourteen_words() -> None:
    assert len(HUMAN_WORDS) == 14
    assert is_human("man's") and is_human("Lady\u2019s") and not is_human("s") and not is_human("'s")
    assert is_human("Man") and is_human("children") and not is_human("women") and not is_human("student")
