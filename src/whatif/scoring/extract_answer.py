"""Answer extraction: what a response commits to, a number, yes or no, or an option (C-VQA 3.2, 4.1).

Nothing is guessed: what gives two answers of equal standing is `ambiguous`, what gives none is `none`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from whatif.text.number_words import SUPPOSED, canonical, in_digits, stated_number
from whatif.text.options import LETTERS, printed_question

Kind: TypeAlias = Literal["number", "boolean", "choice"]


@dataclass(frozen=True)
class Extracted:
    """An answer when the status is `ok` (digits, `yes` or `no`, or a capital letter), otherwise why there is none."""

    answer: str | None
    status: Literal["ok", "ambiguous", "none"]
    reason: str | None


_none, _ambiguous = partial(Extracted, None, "none"), partial(Extracted, None, "ambiguous")


def extract(response: str, kind: Kind, question: str, choices: Sequence[str] | None = None) -> Extracted:
    """The answer that a response gives to a question.

    First goes what is no answer: thoughts up to `</think>`, the question said again (with its options), markdown,
    list numbers, refusals, and suppositions (`If 2 cats were added, ...`), so that a number which the question gave
    away is not taken for the answer. Then counts what is called the answer (`the answer is`, `Answer:`, `\\boxed`),
    the final or new one before others; where nothing is, all that is left.
    Decimal digits of every script count (`٣` is 3); Roman numerals and fractions in one character (`½`) do not.

    Raises ValueError when the kind is `choice` and there are no choices.
    """
    if kind == "choice" and not choices:
        raise ValueError(f"question {question!r}: a choice cannot be extracted without its options")
    text = _without_echo(_plain(response), question, choices)
    if not re.search(r"\w", text):
        return _none("nothing but the question" if re.search(r"\w", response) else "empty")
    called = [(found["rank"], _judged(found["answer"], kind, question, choices)) for found in _CALLED.finditer(text)]
    for rank in ("final", "new", ""):
        answers = {answer for named, answer in called if (named or "").lower() == rank and answer.status != "none"}
        if answers:
            return answers.pop() if len(answers) == 1 else _ambiguous("different answers, each called the answer")
    return _judged(text, kind, question, choices)


def normalise(answer: str, kind: Kind) -> str:
    """An answer as it is compared: `three` and `3.0` are 3, `Yes` is yes, `b` is B."""
    answer = _plain(answer).strip(" .\n")
    if kind == "number":
        return canonical(in_digits(answer).strip())
    return answer.lower() if kind == "boolean" else answer.upper()


def is_correct(extracted: Extracted, right: str, kind: Kind) -> bool:
    """Whether an extracted answer is the right one; what is `ambiguous` or `none` never is."""
    return extracted.answer is not None and normalise(extracted.answer, kind) == normalise(right, kind)


def _judged(text: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted:
    if kind == "choice":
        return _choice(text, question, choices or ())
    return _number(text, question) if kind == "number" else _boolean(text, question)


_MARKUP = tuple(
    (re.compile(pattern, re.IGNORECASE | re.MULTILINE), replacement)
    for pattern, replacement in (
        (r"<think>(?:(?!</think>)[\s\S])*(?:</think>)?", ""),
        (r"\\(?:text|mathrm|mathbf|textbf)\{([^{}]*)\}", r"\1"),
        (r"\\boxed\{([^{}]*)\}", r"\nfinal answer: \1\n"),
        (r"^#### *(?=-?\d)", "final answer: "),
        (r"<answer>", "\nanswer: "),
        (r"</?[a-z]+>|```[a-z]*|\\[\[\]()]|^ *#+ |^ *[-•*] +", "\n"),
        (r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|\$(?!\d)|\$(?=[\d\s+=*-]*\$)", ""),
        (r"[^\S\n]+", " "),
        (r" ?\n\s*", "\n"),
    )
)
_SIGNS = {"−": "-", "—": "; ", "‘": "'", "’": "'", "“": '"', "”": '"', SUPPOSED: "...", "\ufe0f": ""}
_CALLED = re.compile(
    r"(?:\b(?P<rank>final|new|original|initial) )?\b(?:correct |right |best )?(?:answer|response|option|choice)\b"
    r"(?: to (?:the|this|your) question)?[\"')\s]*(?:is|would be|will be|must be|:|=)(?: that\b)?\s*:?\s*"
    r"(?P<answer>[^\n]*?)(?=$|(?<!\b[a-z])[.!?;](?:\s|$))",
    re.IGNORECASE | re.MULTILINE,
)
_CLAUSES = re.compile(
    r",? (?=(?:but|however|therefore|thus|hence|leaving|making|giving|for a total|resulting in|which means|meaning|"
    r"leaves(?= (?!in|on|at|is|are|of|and|would))|so(?!\W*$|[.!?]| (?:many|much|that|far|on|called|as)\b))\b)"
)
_SUPPOSITION = re.compile(
    r"(?:\b(?:if|when|once|after|assuming|given|suppos(?:e|ing)|provided|because|since|due to|upon|by \w+ing)\b|"
    r"(?:^|(?<=, )|(?<=; )|(?<=and )|(?<=but ))with(?:out)?\b(?! a total))"
    r"(?:(?!,(?!\d)|[;:()?!]|\bthen\b|\bthere(?: would\b| will\b|'d\b)|"
    r"(?<!of )\b(?:the|we|you|i|it|they|he|she|this|that)\b(?: \w+)? (?:would|will)\b).)*"
)
_OPPOSITE = re.compile(r"\b(?:if|when|unless)\b(?: (?!would)[\w']+){0,5}?(?: not\b|n't)|\bunless\b")
_REFUSAL = re.compile(
    r"\b(?:can(?: ?not|'t)|(?:could|do|does|is|am)(?: not|n't)|unable to|(?:im|not )possible to|hard to|difficult to|"
    r"without seeing|i'm not|it's not|not)(?: \w+){0,2}? (?:tell|say|determined?|know|answer|choose|sure|clear|certain|"
    r"possible|enough|see (?:the|an|any) (?:image|picture|photo)|have the ability)\b|\bnot (?:sure|clear|certain)\b|"
    r"\b(?:tell|say|determine|know) (?:whether|how many)\b|\bdepends\b|\bnecessarily\b|\bun(?:known|clear|certain)\b|"
    r"\b(?:nobody|no one) (?:knows|can (?:tell|say|know))\b|\bno (?:idea|information|way (?:to|of))\b|\bsorry\b"
)


def _plain(response: str) -> str:
    """A response without thoughts and markup, its signs and decimal digits of all scripts as in ASCII."""
    signs: dict[str, str | int | None] = {}
    for sign in set(response):
        ascii_form = {"Nd": str(unicodedata.decimal(sign, "")), "Cf": "", "Me": "", "Pd": "-", "Zs": " "}
        fullwidth = unicodedata.normalize("NFKC", sign) if "\uff00" < sign < "\uff5f" else sign
        signs[sign] = ascii_form.get(unicodedata.category(sign), fullwidth)  # Cf and Me are marks, not signs
    text = response.translate(str.maketrans(signs | _SIGNS))
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return _without_list_numbers(text.strip())


def _without_list_numbers(text: str) -> str:
    """Lines that are numbered 1, 2, ... lose their numbers; a single one may be an answer and keeps it."""
    form = re.compile(r"^\(?(\d{1,3})[.)] +(?=\S)", re.MULTILINE)
    numbers = [int(number) for number in form.findall(text)]
    is_list = len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1))
    return form.sub("", text) if is_list else text


def _without_echo(text: str, question: str, choices: Sequence[str] | None) -> str:
    for said in (printed_question(question, choices), question):
        words = re.findall(r"\w+", _plain(said))
        if len(words) > 1:
            text = re.sub(r"\b" + r"\W{1,9}".join(map(re.escape, words)) + r"\b\W?", "\n", text, flags=re.IGNORECASE)
    return text.strip()


def _pieces(text: str, question: str) -> list[str]:
    """Sentences and clauses in lower case. A supposition leaves its mark; its opposite and a refusal leave nothing."""
    question = question.lower()
    pieces = []
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", text.lower()):
        opposite = _OPPOSITE.search(sentence) and not _OPPOSITE.search(question)
        for piece in [] if opposite else _CLAUSES.split(_SUPPOSITION.sub(SUPPOSED, sentence)):
            refusal = _REFUSAL.search(piece)
            if piece and not (refusal and refusal[0].split()[-1] not in question):
                pieces.append(piece)
    return pieces


def _number(text: str, question: str) -> Extracted:
    stated = stated_number(_pieces(text, question), question)
    return _ambiguous(stated.doubt) if stated.doubt else _one_of({stated.value}, "number")


_ALONE = r"(?=\W*$|\W*[^\w\s])"  # `certainly not awake` says nothing about asleep
_YES = rf"yes|yeah|yep|true|correct|(?:certainly|definitely|absolutely|of course|indeed){_ALONE}"
_NO = (
    r"nope|nah|no way|false|incorrect|not (?:true|correct)|no(?= (?:it|there|they|he|she|the|this|that|because)\b)|"
    r"(?:no|not really|not at all|(?:definitely|probably|certainly|absolutely|surely|of course|"
    rf"i (?:think|guess|suppose)) not){_ALONE}"
)
_SO = r"i (?P<denial>do(?:n't| not) )?(?:think|guess|believe|suppose) so"
_HEDGE = (
    r"then|so|well|therefore|thus|hence|but|and|ok|probably|likely|most likely|i(?:'d| would)? (?:think|guess|say)|"
    rf"(?:it|that|this)(?: is|'s)|print|return|bool|a|assistant|(?!(?:{_YES}|{_NO})\b)[a-z]+(?=[,:])|"
    r"(?:based on|in|from) [^,]{1,40}+(?=,)"
)
_SAID = re.compile(rf"^\W*(?:(?:{_HEDGE})\b\W*)*(?:(?P<yes>{_YES})|(?P<no>{_NO})|{_SO})\b(?P<more>.*\w)?")
_VERB = re.compile(
    r"\b(is|are|was|were|would|will|does|do|did|has|have|had|sees?|shows?|contains?|(?:appear|seem|look)s?)\b"
)
_NEGATION = re.compile(r"\b(?:not|never|no longer|no)\b")
_EMPTY = (
    r"an?|the|be|been|being|is|are|was|were|would|will|have|has|had|do|does|did|its?|they|them|there|this|that|i|you|we|"
    r"s?he|his|her|their|any|some|both|still|also|very|really|actually|currently|now|anymore|of|to|and|not|never|no|"
    r"longer|for|appear|seem|certainly|definitely|probably|likely|indeed|so|then|therefore|thus|hence|think|believe"
)
_SEEING = {"see", "seen", "show", "visible", "shown", "picture", "image", "photo", "scene", "here"}
_CONTRACTIONS = {"won't": "will not", "can't": "can not", "n't": " not", "'d": " would", "'re": " are"}
_CONTRACTIONS |= {f"{word}'s": f"{word} is" for word in ("it", "he", "that", "there")}


def _boolean(text: str, question: str) -> Extracted:
    """Yes or no as said first, else as said at all, else as a statement confirms or denies the question's words."""
    pieces = _pieces(re.sub(r"yes\W+or\W+no ?\?", " ", text, flags=re.IGNORECASE), question)
    if any(re.search(r"\b(?:yes\W+(?:(?:and|or)\W+)?no|no\W+(?:(?:and|or)\W+)?yes)\b", piece) for piece in pieces):
        return _ambiguous("both yes and no")
    said = [(piece, found) for piece in pieces if (found := _SAID.search(piece))]
    if not said:
        supposed = [piece for piece in pieces if SUPPOSED in piece or " would" in piece or "'d " in piece]
        return _one_of({_polarity(piece, question) for piece in supposed or pieces}, "yes or no")
    answers = [("no" if found["no"] or found["denial"] else "yes", found["more"]) for _, found in said]
    if said[0][0] == pieces[0]:  # what comes first is explained by the rest, unless the rest is as bare
        return _one_of({answers[0][0], *(answer for answer, more in answers if not more)}, "yes or no")
    return _one_of({answer for answer, _ in answers}, "yes or no")


def _polarity(piece: str, question: str) -> str | None:
    """What a statement without yes or no comes to; None when it says something that the question does not ask."""
    for short, full in _CONTRACTIONS.items():
        piece = piece.replace(short, full)
    asked = _content(main := _SUPPOSITION.sub("", question.lower()))
    *denied, clause = re.split(r"\b(?:i|we) do not (?:think|believe)\b", piece)
    subject, verb, rest = [*_VERB.split(clause, maxsplit=1), "", ""][:3]
    if "there" in subject and asked & _SEEING:  # where the things are does not matter: they can be seen
        rest = re.split(rf" (?:in|on|at|near|with|(?!{'|'.join(asked)})\w+ing)\b", rest)[0]
    words = _content(rest) | (_content(subject) if re.match(r"\W*no [a-z]", subject) else set())
    negations = len(_NEGATION.findall(clause)) + len(denied)
    elliptical = re.search(r"\b(?:it|there|they|s?he|that|this) $", subject) and re.fullmatch(r"(?: not)?\W*", rest)
    confirms = words & asked and words <= asked | _SEEING and (verb or negations)
    open_question = re.search(r"\b(?:might|may|could|or)\b", clause) or _NEGATION.search(main)
    others = _content(subject.rpartition(",")[2]) - _content(question.lower()) - _SEEING
    stranger = others and not re.search(r"\b(?:it|they|s?he)\b", main)  # a noun where the question has no pronoun
    less = "there" in subject and "there" not in main and not asked <= words
    if open_question or stranger or less or negations > 1 or not (confirms or (verb and elliptical)):
        return None
    return "no" if negations else "yes"


def _content(text: str) -> set[str]:
    words = re.findall(rf"\b(?!(?:{_EMPTY})s?\b)[a-z]{{2,}}", text)
    return {re.sub(r"(?:ing|ed|s)$", "", word) if len(word) > 3 else word for word in words}


def _one_of(answers: Set[str | None], what: str) -> Extracted:
    found = [answer for answer in answers if answer is not None]
    if len(found) == 1:
        return Extracted(found[0], "ok", None)
    return _ambiguous(f"more than one {what}") if found else _none(f"no {what}")


_AFTER_ARTICLE = re.compile(r"'| (?!(?i:is|because|since|and|or)\b)(?:[a-z]|[A-Z]{2})")


def _choice(text: str, question: str, choices: Sequence[str]) -> Extracted:
    """The option whose letter is given, unless the text beside it is another's; without a letter, by its text."""
    if not _pieces(text, question):
        return _none("a refusal")
    if re.search(r"\b(?:none|all|neither|any) of (?:the |these )?(?:above|options|choices|these|them)\b", text.lower()):
        return _none("none of the options, or all")
    named = _letters(text, LETTERS[: len(choices)])
    if not named:
        return _by_text(text, question, choices)
    if len({letter for letter, _ in named}) > 1:
        return _ambiguous("more than one letter")
    letter, (start, end) = named[0]
    before = re.split(r"[.!?;\n]", text[:start])[-1]
    if {_by_text(beside, question, choices).answer for beside in (before, text[end:].lstrip("]). "))} - {None, letter}:
        return _ambiguous("a letter and the text of another option")
    return Extracted(letter, "ok", None)


def _letters(text: str, letters: str) -> list[tuple[str, tuple[int, int]]]:
    """Letters of options that are given as such, each with its place; the article `A` is none."""
    either = letters + letters.lower()
    text = re.sub(rf"\b(?:[Nn]ot|than) (?:option )?[{letters}]\b", lambda found: " " * len(found[0]), text)
    marked = rf"\A\W*([{either}])(?=\W*\Z|[).:])|\(([{either}])\)|\b[Oo]ption\W{{1,3}}([{either}])\b"
    found = []
    for form in re.finditer(rf"{marked}|(?<![\w'.-])([{letters}])(?![\w'-])", text):
        opens = form[4] and re.search(r"(?:\A|[.!?:;\n])\W*\Z", text[max(0, form.start() - 9) : form.start()])
        if form[4] in ("A", "I") and (opens or form[4] == "I") and _AFTER_ARTICLE.match(text, form.end()):
            continue
        found.append((next(filter(None, form.groups())).upper(), form.span()))
    return found


def _by_text(text: str, question: str, choices: Sequence[str]) -> Extracted:
    """The option whose words a text has, the longest first; numbers are compared as numbers."""
    letters = dict(zip(map(_words, choices), LETTERS, strict=False))
    if len(letters) < len(choices):
        return _ambiguous("options that read alike")
    for form, judge in ((r"yes|0", _boolean), (r"-?[\d.]+", _number)):
        if all(re.fullmatch(form, option) for option in letters):
            verdict = judge(text, question)
            return _one_of({letters.get(_words(verdict.answer))}, "such option") if verdict.answer else verdict
    pieces = _pieces(text, question)
    longest_first = "|".join(map(re.escape, sorted(letters, key=len, reverse=True))).replace("\\ ", r"\W{1,9}")
    for searched in ("; ".join(pieces), text.lower() if pieces else ""):  # an option may itself suppose something
        found = re.finditer(rf"(?P<denied>\bnot (?:be )?(?:an? |the )?)?\b(?:{longest_first})\b", searched)
        answers = {letters[_words(option[0])] for option in found if not option["denied"]}
        if answers:
            return _one_of(answers, "option")
    return _none("no option")


def _words(text: str) -> str:
    """What of an option is compared: a number in digits, or else its words without a leading article."""
    if re.fullmatch(r"-?\d[\d, ]*(?:\.\d+)?", number := in_digits(text).strip(" .")):
        return canonical(number)
    words = re.findall(r"\w+", text.lower())
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("a", "an", "the") else words)
