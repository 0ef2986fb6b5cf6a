"""Counterfactual questions by a chat model behind an endpoint on loopback, whose replies are good, bad, or repaired."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from tests.benchmarks.cvqa_real.question_writers import (
    BOOLEAN,
    NUMERICAL,
    SEPARATOR,
    SIX_AND_TWO,
    Asked,
    counted,
    entry,
    is_fresh,
    questions_in,
    refused,
    rows_of,
    small,
    well,
    write,
    writer,
    written,
)
from tests.benchmarks.cvqa_real.rows import people_row
from tests.projects import Project
from whatif.benchmarks.cvqa_real.chat_writing import DECLINED, REFUSED
from whatif.benchmarks.cvqa_real.seeds import read_seeds
from whatif.benchmarks.cvqa_real.writer_prompts import example_entry, read_prompts
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream

pytestmark = pytest.mark.process  # the client asks `uname` for the name of the system


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)


def test_a_model_writes_a_question_for_each_source_question_of_its_groups(project: Project) -> None:
    with writer(small(project)) as server:
        (said, *_) = write(project)
    assert said == "writer: wrote 8 of 8 counterfactual questions in 3 requests, 0 of them after a reply was repaired"
    rows = written(project)
    assert rows.keys() == SIX_AND_TWO and refused(project) == {}
    row = rows["2-direct-writer"]
    assert (row["source_id"], row["group"], row["writer"], row["attempt"]) == ("2", "direct", "writer", 0)
    assert (row["question"], row["answer"]) == ("How many dogs are in the yard if 2 more were added?", "5")
    assert (row["step1"], row["step2"]) == ("Add 2 of them", "The answer would be 3+2=5")
    assert row["examples"] == [seed.seed_id for seed in read_seeds(None) if seed.group == "direct"][:8]
    replies = {row["batch_id"]: row for row in rows_of(project, "replies")}
    assert list(replies) == ["1-direct-writer", "11-boolean-writer", "6-direct-writer"]
    reply = replies["1-direct-writer"]
    assert json.loads(row["provenance"]) == {
        "batch_id": "1-direct-writer",
        "examples": "package",
        "prompt": read_prompts(None, []).digest,
        "rule": "fixed",
    }
    assert row["request_key"] == reply["request_key"] and row["examples"] == reply["examples"]
    assert (reply["source_ids"], reply["group"], reply["model"]) == (["1", "2", "3", "4", "5"], "direct", "writer")
    assert (reply["status"], reply["reason"], reply["prompt_tokens"], reply["finish"]) == ("ok", None, 100, "stop")
    assert reply["response"] == well([*NUMERICAL.values()][:5])
    assert len(server.conversations) == 3


def test_a_request_has_the_prompt_the_examples_and_the_questions_in_one_format(project: Project) -> None:
    with writer(small(project)) as server:
        write(project)
    for place, group in ((0, "direct"), (2, "boolean")):
        system, user = server.texts(place)
        examples = [example_entry(seed) for seed in read_seeds(None) if seed.group == group][:8]
        prompt = read_prompts(None, []).by_group[group]
        assert system == f"{prompt}\n\nExamples:\n-----\n{SEPARATOR.join(examples)}\n-----"
        sources = [*(NUMERICAL if group == "direct" else BOOLEAN).values()][:5]
        assert user == SEPARATOR.join(f"Original question: {q}\nOriginal answer: {a}" for q, a in sources)
    assert [message["role"] for message in server.conversations[0]] == ["system", "user"]
    assert "response_format" not in server.log[0][1]
    assert server.log[0][1]["max_tokens"] >= 5 * 192


def test_the_number_of_questions_in_a_request_is_a_setting(project: Project) -> None:
    with writer(small(project, questions_per_request=3)) as server:
        write(project)
    assert [len(questions_in(server.texts(n)[-1])) for n in range(len(server.conversations))] == [3, 3, 2]
    assert written(project).keys() == SIX_AND_TWO


def test_only_what_is_wrong_is_asked_for_again(project: Project) -> None:
    def reply(asked: Asked, turn: int) -> str:
        first = entry(*asked[0], New_question="How many now?") if not turn else entry(*asked[0])
        return SEPARATOR.join([*(entry(*one) for one in asked[2:]), first])

    with writer(small(project)) as server:
        server.reply = reply
        (said, *_) = write(project, direct=True)
    assert "wrote 5 of 6 counterfactual questions in 4 requests, 2 of them after" in said
    fault = '"How many cats are there?": the new question has no if clause: "How many now?"'
    missing = '"How many dogs are in the yard?": is not in the reply; repeat the question word for word'
    system, user, response, repair = server.texts(2)
    assert [system, user] == server.texts(0) and response == reply(questions_in(user), 0)
    assert repair == (
        f"Your reply cannot be used for these questions:\n- {fault}\n- {missing}\n"
        "Write the whole entry of each again, in the same format, and nothing else:\n\n"
        "Original question: How many cats are there?\nOriginal answer: 2\n-----\n"
        "Original question: How many dogs are in the yard?\nOriginal answer: 3"
    )
    replies = [row for row in rows_of(project, "replies") if row["batch_id"] == "1-direct-writer"]
    assert [(row["attempt"], row["status"], row["reason"]) for row in replies] == [
        (0, "refused", f"{fault}; {missing}"),
        (1, "refused", missing),
    ]
    assert [row["source_ids"] for row in replies] == [["1", "2", "3", "4", "5"], ["1", "2"]]
    assert written(project)["1-direct-writer"]["attempt"] == 1
    assert written(project)["3-direct-writer"]["attempt"] == 0
    assert written(project)["1-direct-writer"]["request_key"] == replies[1]["request_key"]
    assert refused(project) == {"2-direct-writer": (REFUSED, missing.partition(": ")[2])}


# `test_writer_replies` has all kinds.
BAD: dict[str, tuple[str, str]] = {
    "prose": ("I think that there would be fewer cats.", "the reply has no entry"),
    "empty": ("", "empty response (finish reason: stop)"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_replies_are_refused_with_a_reason_and_stay_at_hand(project: Project, kind: str) -> None:
    bad, reason = BAD[kind]
    three = dict([*NUMERICAL.items()][:3])
    with writer(small(project, three), lambda asked, turn: bad) as server:
        (said, *_) = write(project, direct=True)
    assert "wrote 0 of 3 counterfactual questions in 2 requests" in said
    assert written(project) == {}
    found = refused(project)
    assert found.keys() == {f"{one}-direct-writer" for one in three}
    for why, detail in found.values():
        assert why == REFUSED and detail.startswith(reason)
    replies = rows_of(project, "replies")
    assert [(row["attempt"], row["status"]) for row in replies] == [(0, "refused"), (1, "refused")]
    assert [row["response"] or "" for row in replies] == [bad, bad]
    assert all(row["reason"] for row in replies)
    assert len(server.conversations) == 2


def test_the_user_is_told_where_the_reasons_and_the_raw_replies_are(project: Project) -> None:
    with writer(small(project), lambda asked, turn: well(asked[1:])):
        _, told, *_ = write(project)
    assert told.startswith("writer: for the reasons of the 2 questions without a usable reply, see `whatif show ")
    named = re.findall(r"[\w/-]+\.parquet", told)
    assert [path.rpartition("/")[2] for path in named] == ["unwritten.parquet", "replies.parquet"]
    assert all((project.folder / path).is_file() for path in named)


def test_a_caution_about_short_prompts_for_another_model(project: Project) -> None:
    with writer(small(project, file="short"), lambda asked, turn: well(asked[turn == 0 :])):
        first, *_ = write(project)
    assert first.startswith("warning: writer: the short prompts are for models that were trained on the format")


def test_more_entries_than_questions_are_ignored_and_counted(project: Project) -> None:
    def reply(asked: Asked, turn: int) -> str:
        return SEPARATOR.join([entry("How many clouds are there?", "1"), *map(entry, *zip(*asked[::-1], strict=True))])

    with writer(small(project), reply) as server:
        (said, *_) = write(project)
    assert said.endswith("; 3 entries about other questions were ignored") and len(server.conversations) == 3
    assert written(project).keys() == SIX_AND_TWO
    ignored = "1 entry about questions that were not asked; they were ignored"
    assert {(row["status"], row["reason"]) for row in rows_of(project, "replies")} == {("ok", ignored)}


def test_what_was_cut_off_at_the_limit_is_not_used(project: Project) -> None:
    with writer(small(project, BOOLEAN | {"1": NUMERICAL["1"]}), finish="length") as server:
        write(project)
    assert written(project).keys() == {"11-boolean-writer"}
    for one, reason in refused(project).items():
        assert one in {"12-boolean-writer", "1-direct-writer"} and reason[0] == REFUSED
        assert reason[1].startswith("the reply was cut off at the limit of new tokens in its entry")
    assert len(server.conversations) == 4
    assert all(row["reason"].startswith("the reply was cut off") for row in rows_of(project, "replies"))


def test_questions_with_the_same_text_are_in_different_requests(project: Project) -> None:
    same = {str(number): ("How many balls are there?", str(number)) for number in range(1, 6)}
    with writer(small(project, same | {"6": ("How many  BALLS are there ?", "6"), "7": ("Is it?", "no")})) as server:
        write(project)
    assert len(server.conversations) == 7
    assert {row["answer"] for row in written(project).values()} == {"3", "4", "5", "6", "7", "8", "yes"}


def test_indirect_questions_may_be_declined(project: Project) -> None:
    def reply(asked: Asked, turn: int) -> str:
        cannot = f"Original question: {asked[0][0]}\nOriginal answer: {asked[0][1]}\nCannot: Only the image shows it."
        return SEPARATOR.join([cannot, well(asked[1:])])

    with writer(small(project), reply) as server:
        write(project, indirect=True)
    assert "Cannot: " in server.texts(0)[0]
    assert refused(project) == {f"{one}-indirect-writer": (DECLINED, "Only the image shows it.") for one in ("1", "6")}
    assert written(project).keys() == {f"{number}-indirect-writer" for number in range(2, 6)}
    assert {row["status"] for row in rows_of(project, "replies")} == {"ok"}
    assert len(server.conversations) == 2


def random_reply(asked: Asked, number: int) -> str | int:
    """A reply in which entries are lost, doubled, exchanged, spoiled or extended; or an error."""
    generator = stream(5, number)
    if generator.random() < 0.15:
        return (400, 503)[number % 2]
    entries = [entry(*one) for one in asked if generator.random() < 0.8]
    entries += [entry(*one) for one in asked if generator.random() < 0.1]
    entries = [one.replace("Step1", "Step 1") if generator.random() < 0.2 else one for one in entries]
    order = generator.permutation(len(entries))
    return SEPARATOR.join(entries[place] for place in order)


@pytest.mark.parametrize("number", range(3))
def test_every_question_is_written_or_refused(project: Project, number: int) -> None:
    asked_so_far = [100 * number]

    def reply(asked: Asked, turn: int) -> str | int:
        asked_so_far[0] += 1
        return random_reply(asked, asked_so_far[0])

    many = {f"{n}": (f"How many {n % 7} and {n} are there?", str(n)) for n in range(100, 125)}
    many |= {f"b{n}": (f"Is it {n}?", ("yes", "no")[n % 2]) for n in range(12)}
    with writer(small(project, many, questions_per_request=1 + 2 * number), reply):
        write(project)
    assert counted(project) == {f"{n}-{'boolean' if n.startswith('b') else 'direct'}-writer" for n in many}
    assert 0 < len(written(project)) < len(many)
    for row in written(project).values():
        assert row["question"].startswith(many[row["source_id"]][0].rstrip("?"))


def test_people_s_questions_are_examples_but_not_for_themselves(project: Project) -> None:
    people = [
        people_row("1", "direct", "How many cats would there be if one came?", "3"),
        people_row("6", "direct", "How many people would wear white hats?", "2"),
        people_row("11", "boolean", "Would the cat be asleep if it had been woken up?", "no"),
        people_row(
            "12", "boolean", "Would it be raining if clouds came?", "yes", "The new answer should be yes.", "How to ..."
        ),
    ]
    with writer(small(project, annotated=people, questions_per_request=3)):
        said = write(project)
    used = {row["batch_id"]: row["examples"] for row in rows_of(project, "replies")}
    assert used == {"1-direct-writer": [], "4-direct-writer": ["1-direct-people"], "11-boolean-writer": []}
    left = (
        "of people's {} questions are no examples: the filter would reject them, or they have no steps, and none can "
        "be computed from their answers"
    )
    assert said[1:3] == [f"writer: 1 {left.format(group)}" for group in ("direct", "boolean")]
    assert {tuple(row["examples"]) for row in written(project).values()} == {(), ("1-direct-people",)}


@pytest.mark.parametrize("rule", ["random", "nearest"])
def test_rules_by_which_examples_are_chosen(project: Project, rule: str) -> None:
    small(project, questions_per_request=1)
    project.generate["prompting"]["examples"] |= {"rule": rule, "number": 4}
    with writer(project) as server:
        write(project)
    seeds = {seed.seed_id: seed for seed in read_seeds(None)}
    used = [row["examples"] for row in rows_of(project, "replies") if row["group"] == "direct"]
    assert all(len(set(examples)) == 4 for examples in used) and len({tuple(one) for one in used}) > 1
    shown = [SEPARATOR.join(example_entry(seeds[one]) for one in examples) for examples in used]
    assert [text in server.texts(n)[0] for n, text in enumerate(shown)] == [True] * 6
    assert used == [row["examples"] for row in rows_of(project, "by-model") if row["group"] == "direct"]


def test_a_file_of_prompts_replaces_those_of_the_package(project: Project) -> None:
    own = project.folder / "own.yaml"
    own.write_text(yaml.safe_dump({group: {"system": f"Write {group}."} for group in ("direct", "boolean")}))
    small(project, file=str(own))
    project.generate["prompting"]["examples"]["number"] = 0
    with writer(project) as server:
        write(project)
        assert {server.texts(n)[0] for n in range(3)} == {"Write direct.", "Write boolean."}
        assert {row["prompt"] for row in rows_of(project, "replies")} == {read_prompts(str(own), []).digest}
        assert is_fresh(project)
        own.write_text(own.read_text() + "# a remark\n")
        assert not is_fresh(project)
        with pytest.raises(WhatifError, match=r"own\.yaml: has no prompt for indirect"):
            write(project, indirect=True)
