"""CSV of labels in an encoding other than UTF-8, as spreadsheets save them: read as they are, or refused."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

from whatif.engine.errors import WhatifError
from whatif.people.label_files import read_label_file

# Language -> the name of an annotator, and a comment.
WESTERN = {
    "German": ("Jörg Müller", "Das Bild zeigt größere Hunde auf der Straße. „Drei“ wäre richtig, nicht fünf."),
    "French": ("Hélène Lefèvre", "L’image à droite est très floue, même la légende ne décrit pas le garçon."),
    "Spanish": ("Íñigo Peña", "La imagen está borrosa, pero el niño tiene tres años. ¿Cuántos pájaros habría?"),
    "Portuguese": ("João Conceição", "A legenda não descreve a situação: há três cães à direita, e põe o pão."),
    "Italian": ("Nicolò Forlì", "La didascalia è giusta perché c’è più di un cane, però la città non si vede."),
    "Swedish": ("Åsa Sjöström", "Bilden är suddig och frågan går inte att besvara. Två björnar står på ön."),
    "Danish": ("Søren Ærø", "Billedet er sløret, og spørgsmålet kan ikke besvares på grund af træerne."),
    "Finnish": ("Väinö Mäkelä", "Kuvassa näkyy kaksi pöytää, mutta kysymys on epäselvä."),
}
CENTRAL = {
    "Polish": ("Paweł Łuczyński", "Zdjęcie jest rozmazane, a pytanie źle sformułowane. Są trzy psy, może więcej."),
    "Czech": ("Jiří Dvořák", "Obrázek je rozmazaný a otázka není jasná. Žádný kůň, takže odpověď je správná."),
    "Hungarian": ("Győző Szűcs", "A kép homályos, és a kérdés nem egyértelmű. Több időt kérek, hűvös."),
    "Croatian": ("Željko Kovačić", "Slika je mutna, što znači da je odgovor točan, možda još jedan ćuk."),
    "Romanian": ("Ştefan Bălan", "Imaginea este neclară, iar întrebarea nu are răspuns. Sunt trei câini şi o maşină."),
}
CYRILLIC = {
    "Russian": ("Иван Петров", "Изображение размыто, вопрос неясен. На картинке три собаки."),
    "Ukrainian": ("Олексій Їжак", "Зображення розмите, питання незрозуміле. Три собаки, тому відповідь правильна."),
    "Bulgarian": ("Георги Илиев", "Снимката е размазана и въпросът не е ясен. Има три кучета."),
}
READ = [  # encoding, its name in the message, languages
    ("cp1252", "Windows-1252", WESTERN),
    ("mac_roman", "Mac Roman", WESTERN),
    ("cp1250", "Windows-1250", CENTRAL),
    ("cp1251", "Windows-1251", CYRILLIC),
]
OTHERS = [
    *(("cp850", WESTERN), ("cp437", WESTERN), ("cp852", CENTRAL), ("iso8859_2", CENTRAL), ("mac_latin2", CENTRAL)),
    *(("koi8_r", CYRILLIC), ("cp866", CYRILLIC), ("mac_cyrillic", CYRILLIC)),
]
OF_READ = [
    pytest.param(one, said, *texts, id=f"{one} {language}") for one, said, of in READ for language, texts in of.items()
]
OF_ALL = [
    pytest.param(
        one,
        f"{annotator} {comment}".split(),
        id=f"{one} {language}",
        marks=() if language in ("German", "Polish", "Russian") else pytest.mark.soak,
    )
    for one, of in [*OTHERS, *((one, of) for one, _, of in READ)]
    for language, (annotator, comment) in of.items()
]


def written(path: Path, annotator: str, comment: str, encoding: str) -> Path:
    rows = [
        ("task_id", "annotator", "label", "comment"),
        ("t1", annotator, "both", comment),
        ("t2", annotator, "1", ""),
    ]
    text = "".join(";".join(row) + "\r\n" for row in rows)
    path.write_bytes(text.encode(encoding, "replace"))
    return path


def fields(path: Path) -> tuple[str, str] | None:
    """The annotator and the comment of the first row; None if the file is refused."""
    try:
        first, _ = read_label_file(path, (), file="labels", kind="labels")
    except WhatifError as error:
        assert "in UTF-8 (Excel: Save As, CSV UTF-8" in str(error) and "\n" not in str(error)
        return None
    return first.fields["annotator"], first.fields["comment"]


@pytest.mark.parametrize(("encoding", "said", "annotator", "comment"), OF_READ)
def test_a_file_with_some_words_is_read_in_its_encoding(
    encoding: str, said: str, annotator: str, comment: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "labels.csv", annotator, comment, encoding)
    with contextlib.redirect_stderr(io.StringIO()) as told:
        found = fields(path)
    assert found == (annotator, comment)
    assert f"{path}: line 2, column annotator: is not UTF-8; read as {said}" in told.getvalue()


@pytest.mark.parametrize(("encoding", "words"), OF_ALL)
def test_no_file_is_read_as_another_text(encoding: str, words: list[str], tmp_path: Path) -> None:
    words = [word.encode(encoding, "ignore").decode(encoding) for word in words]
    for number, word in enumerate(words):
        for said in (("ann", word), (word, ""), ("ann", " ".join(words[: number + 1]))):
            path = written(tmp_path / "labels.csv", *said, encoding)
            if not is_utf_8(path.read_bytes()):  # two letters may be one of UTF-8 by chance
                assert fields(path) in (said, None)


def is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize(
    "comment", ["½ £5 ×3", "£5", "20 °C, 3 m²", "It doesn’t fit – the café is “closed”…", "n° 1: déjà vu"]
)
def test_marks_of_windows_are_read(comment: str, tmp_path: Path) -> None:
    assert fields(written(tmp_path / "labels.csv", "ann", comment, "cp1252")) == ("ann", comment)
