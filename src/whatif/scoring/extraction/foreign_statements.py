"""Yes or no by a statement in another language that repeats what the question asks, with or without a negation."""

from __future__ import annotations

import re

_SENTENCES = re.compile(r"[.!?;。！？；\n،]+")
_CLAUSES = re.compile(r"[,，、]")
# Scripts without spaces between words, and Korean, whose words have many endings: negations and what they replace.
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_NEGATIONS = (
    (re.compile(r"ませんでした"), "ました"),
    (re.compile(r"ありません"), "あります"),
    (re.compile(r"ません"), "ます"),
    (re.compile(r"ではない|じゃない"), "です"),
    (re.compile(r"ていない|てない"), "ている"),
    (re.compile(r"ない(?=です|$|。)"), "る"),
    (re.compile(r"지 ?않(?=습니다|아요|다|았)"), ""),
    (re.compile(r"없(?=습니다|어요|다|을)"), "있"),
    (re.compile(r"(?<=\s)(?:안|못) (?=\S)"), ""),
    (re.compile(r"并没有|没有|沒有|并未|不会|不會|不能|不是|没|沒|未|不"), ""),
)
_EMPTY = re.compile(
    r"ています|ている|ますか|ました|ます|です|(?:一|两|有)?[只个條条张辆位名副]|[吗嗎呢吧か了的は가이은는을를がをにでへと\s?？]|습니까|습니다|나요|어요|아요"
)
# Languages with spaces between words.
_NOT = re.compile(
    r"\b(?:не|нет|ні|nicht|kein\w{0,2}|nie|niet|geen|não|no|non|ne|n'|pas|aucun\w{0,2}|inte|ikke|ingen|değil|yok)\b"
)
_DENIAL = re.compile(r"\W*(?:no|não|non|не|ne)\s(?!solution|answer|idea|comment)\w+\W*")  # `Não está.`
_HALF, _MOST = 0.5, 0.7
_LEAST = 4  # letters by which words of an inflected language are compared


def foreign_polarity(text: str, question: str) -> str | None:
    """`yes` or `no` if a sentence says what the question asks, or the contrary; None for other texts."""
    for sentence in _SENTENCES.split(text.lower()):
        if not re.search(r"\w", sentence):
            continue
        read = _east_asian if _EAST_ASIAN.search(question) else _inflected
        if verdict := read(sentence, question.lower()):
            return verdict
    return None


def _east_asian(sentence: str, question: str) -> str | None:
    for clause in (sentence, *reversed(_CLAUSES.split(sentence))):
        positive, count = clause, 0
        for negation, instead in _NEGATIONS:
            positive, number = negation.subn(instead, positive)
            count += number
            if number:
                break
        said, asked = _pairs(positive), _pairs(question)
        if not said:
            continue
        share = len(said & asked) / len(said)
        if share >= _HALF:
            return "no" if count else "yes"
    return None


def _pairs(text: str) -> set[str]:
    signs = re.sub(r"\W", "", _EMPTY.sub("", text))
    return {signs[place : place + 2] for place in range(len(signs) - 1)}


def _inflected(sentence: str, question: str) -> str | None:
    if _DENIAL.fullmatch(sentence):
        return "no"
    asked = _stems(question)
    last = ""
    for clause in _CLAUSES.split(sentence):
        said = _stems(_NOT.sub(" ", clause))
        if not said or not asked:
            continue
        share = len(said & asked) / len(said)
        if _NOT.search(clause) and share >= _HALF:
            return "no"
        if (
            not _NOT.search(clause)
            and share >= _MOST
            and len(said & asked) > 1
            and len(said & asked) >= _HALF * len(asked)
        ):
            last = "yes"
    return last or None


def _stems(text: str) -> set[str]:
    return {word[:_LEAST] for word in re.findall(r"[^\W\d_]{4,}", text)}
