"""Replies with counterfactual questions: what is used of them, and the reasons for which the rest is refused."""

from __future__ import annotations

import itertools
import re

import pytest

from tests.benchmarks.cvqa_real.question_writers import SEPARATOR, entry, well
from whatif.benchmarks.cvqa_real.writer_prompts import LABELS
from whatif.benchmarks.cvqa_real.writer_replies import Entry, ReadReply, plain, read_reply
from whatif.engine.random_streams import stream

ASKED = {
    "1": ("How many cats are there?", "2"),
    "2": ("Is it raining?", "no"),
    "3": ("How many dogs are in the yard?", "3"),
}
CATS, RAIN, DOGS = (entry(*one) for one in ASKED.values())
WHOLE = well(list(ASKED.values()))


def read(response: str, *, cut_off: bool = False, may_decline: bool = False, largest: int = 3) -> ReadReply:
    return read_reply(response, ASKED, largest=largest, cut_off=cut_off, may_decline=may_decline)


def joined(*entries: str) -> str:
    return SEPARATOR.join(entries)


def test_a_reply_with_an_entry_for_each_question() -> None:
    found = read(WHOLE)
    assert found == ReadReply(
        entries={
            "1": Entry(
                "Add 2 of them", "The answer would be 2+2=4", "How many cats are there if 2 more were added?", "4"
            ),
            "2": Entry(
                "The new answer should be yes, so it is otherwise.",
                "How to make it otherwise: change everything.",
                "Is it raining if everything had been changed?",
                "yes",
            ),
            "3": Entry(
                "Add 2 of them", "The answer would be 3+2=5", "How many dogs are in the yard if 2 more were added?", "5"
            ),
        }
    )


@pytest.mark.parametrize(
    "response",
    [
        joined(DOGS, CATS, RAIN),
        f"-----\n{joined(CATS, RAIN, DOGS)}\n-----\n\n",
        joined(CATS, RAIN, DOGS).replace("-----", "\n  ----------  \n"),
        joined(CATS, RAIN, DOGS).replace("\n", "\r\n"),
        joined(CATS, RAIN, DOGS).replace("answer: ", "answer:").replace("Original", "  ORIGINAL"),
        joined(CATS, RAIN, DOGS).replace("question: How many cats are there?", "question:  how many  CATS are there"),
        joined(CATS, RAIN, DOGS).replace("answer: no", "answer: No.").replace("answer: yes", "answer: Yes."),
        joined(CATS, RAIN, DOGS).replace("New answer: 4", "New answer: 4."),
        f"Here are the new questions.\n-----\n{joined(CATS, RAIN, DOGS)}",
        f"Here are the new questions:\n\n{joined(CATS, RAIN, DOGS)}",
        f"<think>\nFirst a draft.\n{WHOLE}\n```\n</think>\n\n{WHOLE}",
        f"{CATS}\n\n{RAIN}\n\n\n{DOGS}",
        f"{CATS}\n{RAIN}\n{DOGS}",
        *(f"{CATS}\n{rule}\n{RAIN}\n{rule}\n{DOGS}\n{rule}" for rule in ("_____", "***", "=====", "———")),
        joined(CATS, RAIN, DOGS).replace("Step1", "Step 1").replace("Step2", "Step 2"),
        joined(CATS, RAIN, DOGS).replace(": ", "\uff1a").replace("otherwise\uff1a", "otherwise: "),
        joined(CATS, RAIN, DOGS).replace("Original ", "Original\xa0").replace(": ", ":\xa0"),
        re.sub(r"^([^:\n]+):", r"**\1:**", WHOLE, flags=re.MULTILINE),
        re.sub(r"^([^:\n]+):", r"- **\1**:", WHOLE, flags=re.MULTILINE),
        re.sub(r"^(.*:.*)$", r"**\1**", WHOLE, flags=re.MULTILINE),
        re.sub(r"^(Original question)", r"2. \1", WHOLE, flags=re.MULTILINE),
        re.sub(r"^(Original question)", r"### \1", WHOLE, flags=re.MULTILINE),
    ],
)
def test_what_makes_no_difference(response: str) -> None:
    assert read(response) == read(WHOLE)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ("", "the reply is empty"),
        ("   \n\t\n", "the reply is empty"),
        ("I would rather not do that. There are 2 cats.", "the reply has no entry"),
        ("Pregunta original: ¿Cuántos gatos hay?\nRespuesta original: 2\nPaso1: Añade 2", "the reply has no entry"),
        ("Step1: Add 2\nStep2: 2+2=4\nNew question: x if y?\nNew answer: 4", "the reply has no entry"),
        ('{"Original question": "How many cats are there?", "Original answer": "2"}', "the reply has no entry"),
        (f"```\n{WHOLE}\n```", "the reply has a code fence"),
        (f"{WHOLE}\n~~~text\n{CATS}", "the reply has a code fence"),
        (joined(WHOLE, *(entry(f"How many cats of kind {n}?", "2") for n in range(197))), "the reply has 200 entries"),
        (joined(*[CATS] * 7), "the reply has 7 entries for 3 questions; write one for each"),
    ],
    ids=["empty", "blank", "prose", "language", "anonymous", "json", "fence", "fence later", "200", "7"],
)
def test_replies_that_are_refused_as_a_whole(response: str, reason: str) -> None:
    found = read(response)
    assert found.entries == found.declined == {}
    assert found.general is not None and found.general.startswith(reason)
    assert found.faults == dict.fromkeys(ASKED, found.general)


def without(label: str, text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith(label))


SPANISH = "¿Cuántos gatos habría si vinieran dos más?"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("", "is not in the reply"),
        (entry("How many cats do you see?", "2"), "is not in the reply"),
        (joined(CATS, CATS), "has more than one entry in the reply"),
        (joined(CATS, without("Step1", CATS)), "has more than one entry in the reply"),
        (joined(without("Step1", CATS), CATS), "has more than one entry in the reply"),
        (f"{CATS}\n{CATS}", "has more than one entry in the reply"),
        *((without(label, CATS), f"its entry has no line `{label}`") for label in LABELS[1:]),
        (entry("How many cats are there?", "2", Step1=""), "the line `Step1` of its entry is empty"),
        (entry("How many cats are there?", "2", New_answer=""), "the line `New answer` of its entry is empty"),
        *(
            (entry("How many cats are there?", "2", New_answer=answer), "the new answer must be one whole number")
            for answer in (".", "four", "4 cats", "-1", "2.5", "yes", "04", "٣")
        ),
        (CATS.replace("if 2 more", "if **2** more"), "the line `New question` of its entry has Markdown"),
        (CATS.replace("New answer: 4", "New answer: `4`"), "the line `New answer` of its entry has Markdown"),
        (CATS.replace("New answer: 4", "New answer:** 4"), "the line `New answer` of its entry has Markdown"),
        (f"{CATS}\nNew answer: 4", "its entry has the line `New answer` 2 times"),
        (CATS.replace("Step1", "x").replace("Step2", "Step1").replace("x", "Step2"), "the lines of its entry are in"),
        (f"{CATS}\nI hope that this helps.", 'its entry has a line without a label, "I hope that this helps."'),
        (CATS.replace("2+2=4", "2+2\n=4"), 'its entry has a line without a label, "=4"'),
        (entry("How many cats are there?", "2", Original_answer="3"), "the original answer must be repeated unchanged"),
        (entry("How many cats are there?", "2", New_question="How many cats if 2 came"), "the new question has no que"),
        (entry("How many cats are there?", "2", New_question=SPANISH), "the new question has no if clause"),
        (f"{CATS}\nCannot: I cannot see it.", "its entry has a line `Cannot`"),
        (CATS.replace("Add 2", "Add \x07 2"), "the line `Step1` of its entry has a control character"),
        (CATS.replace("Add 2", "Add \ud83d 2"), "the line `Step1` of its entry has a control character"),
        (CATS.replace("Original question", "The original question"), "is not in the reply"),
    ],
)
def test_an_entry_that_cannot_be_used_does_not_hurt_the_others(bad: str, reason: str) -> None:
    for response in (joined(bad, RAIN, DOGS), joined(RAIN, bad, DOGS), joined(RAIN, DOGS, bad)):
        found = read(response)
        assert found.faults.keys() == {"1"} and found.faults["1"].startswith(reason)
        good = read(WHOLE).entries
        assert found.entries == {"2": good["2"], "3": good["3"]}
        assert found.general is None


def test_an_entry_without_its_question_does_not_end_the_one_before_it() -> None:
    found = read(joined(f"{CATS}\n{without('Original question', RAIN)}", DOGS))
    assert found.entries.keys() == {"3"}
    assert found.faults["1"].startswith("its entry has the line `Original answer` 2 times")
    assert found.faults["2"].startswith("is not in the reply")


@pytest.mark.parametrize("answer", ["true", "4", "yes, it would", "no."])
def test_the_new_answer_of_a_yes_or_no_question(answer: str) -> None:
    found = read(joined(CATS, entry("Is it raining?", "no", New_answer=answer), DOGS))
    assert found.entries.keys() == ({"1", "2", "3"} if answer == "no." else {"1", "3"})
    assert all(fault.startswith("the new answer must be yes or no, not ") for fault in found.faults.values())


def test_a_model_may_write_another_apostrophe() -> None:
    asked = {"1": ('Is the man\'s "hat" red?', "yes")}
    (question, answer) = asked["1"]
    curly = entry("Is the man’s “hat” red?", answer)
    for one, reply in ((asked, curly), ({"1": ("Is the man’s “hat” red?", answer)}, entry(question, answer))):
        assert read_reply(reply, one, largest=1).entries.keys() == {"1"}


def test_entries_that_nobody_asked_for_are_ignored_and_counted() -> None:
    others = [entry(f"How many {thing} are there?", "1") for thing in ("birds", "cars")]
    found = read(joined(others[0], WHOLE, others[1]))
    assert (found.entries, found.ignored) == (read(WHOLE).entries, 2)


def test_the_last_entry_of_a_reply_that_was_cut_off_is_not_used() -> None:
    for response in (WHOLE, WHOLE[:-1], WHOLE[:-30], f"{WHOLE}\n"):
        found = read(response, cut_off=True)
        assert found.entries.keys() == {"1", "2"}
        assert found.faults["3"].startswith("the reply was cut off at the limit of new tokens in its entry")
    assert read(f"{WHOLE}\n-----\n", cut_off=True).entries.keys() == ASKED.keys()
    assert read(f"{WHOLE}\n-----\nOriginal quest", cut_off=True).entries.keys() == ASKED.keys()


def test_a_model_may_decline_an_indirect_question() -> None:
    declined = "Original question: How many cats are there?\nOriginal answer: 2\nCannot: It depends on the image."
    found = read(joined(declined, RAIN, DOGS), may_decline=True)
    assert found.declined == {"1": "It depends on the image."}
    assert found.entries.keys() == {"2", "3"} and not found.faults
    for bad in (declined.replace("answer: 2", "answer: 1"), declined.replace("It depends on the image.", "")):
        found = read(joined(bad, RAIN, DOGS), may_decline=True)
        assert found.declined == {} and found.faults.keys() == {"1"}
    assert read(joined(declined, declined, RAIN, DOGS), may_decline=True).faults["1"].startswith("has more than one")
    assert read(joined(declined, RAIN, DOGS)).faults["1"].startswith("its entry has a line `Cannot`")


def test_a_repair_may_repeat_all_entries() -> None:
    asked = {"2": ASKED["2"]}
    found = read_reply(WHOLE, asked, largest=3)
    assert (list(found.entries), found.ignored) == (["2"], 2)
    assert read_reply(WHOLE, asked, largest=1).general == "the reply has 3 entries for 1 question; write one for each"


@pytest.mark.parametrize(
    ("first", "second"), [("How many  cats ?", "how many CATS?!"), ("Is it?", "Is it"), ("Cafe\u0301?", "caf\u00e9")]
)
def test_questions_are_compared_without_case_spaces_and_final_punctuation(first: str, second: str) -> None:
    assert plain(first) == plain(second)
    assert plain("How many cats?") != plain("How many cats, dogs?")


def check(found: ReadReply, response: str, asked: dict[str, tuple[str, str]]) -> None:
    """Each question has one fate, and what is used of a reply is in it, line by line, as one whole entry."""
    fates = [found.entries.keys(), found.declined.keys(), found.faults.keys()]
    assert sorted(itertools.chain(*fates)) == sorted(asked)
    lines = [" ".join(line.split()) for line in response.splitlines() if line.strip()]
    runs = {"\n".join(lines[place : place + 6]).casefold().rstrip(".") for place in range(len(lines) - 5)}
    for one, used in found.entries.items():
        values = (*asked[one], used.step1, used.step2, used.question, used.answer)
        whole = "\n".join(f"{label}: {value}" for label, value in zip(LABELS, values, strict=True))
        assert whole.casefold() in runs


def numbered() -> list[str]:
    """Entries whose lines differ from each other."""
    return [
        text.replace("Add", f"Add {n}").replace("should", f"{n} should") for n, text in enumerate((CATS, RAIN, DOGS))
    ]


def test_entries_with_lines_in_any_order_are_never_taken_in_part() -> None:
    used = 0
    for number in range(3000):
        generator = stream(7, "lines", number)
        lines = joined(*numbered()).splitlines()
        for _ in range(int(generator.integers(0, 4))):
            first, second = generator.integers(0, len(lines), 2)
            kind = generator.integers(0, 3)
            if kind == 0:
                lines[first], lines[second] = lines[second], lines[first]
            elif kind == 1:
                del lines[first]
            else:
                lines.insert(first, lines[second])
        response = "\n".join(lines)
        found = read(response, cut_off=bool(generator.integers(0, 2)))
        check(found, response, ASKED)
        used += len(found.entries)
    assert 3000 < used < 8000


def test_random_bytes_never_raise_and_never_become_an_entry() -> None:
    pieces = [*joined(*numbered()).splitlines(keepends=True), "-----\n", "```", "\x00", "\u2028", "\ud800", ": ", "\r"]
    for number in range(3000):
        generator = stream(7, "bytes", number)
        noise = generator.bytes(int(generator.integers(0, 400))).decode(("utf-8", "latin-1")[number % 2], "replace")
        assert read(noise).entries == {}
        mixed = "".join(pieces[place] for place in generator.integers(0, len(pieces), int(generator.integers(0, 40))))
        check(read(mixed, may_decline=True), mixed, ASKED)
