"""Statements as claims: what they say of the claim that a yes-or-no question asks about, and what they leave open."""

from __future__ import annotations

import pytest

from whatif.scoring.extraction.answer import extract
from whatif.scoring.extraction.foreign_statements import foreign_polarity
from whatif.scoring.extraction.propositions.decision import decided
from whatif.scoring.extraction.propositions.questions import hypothesis_of


@pytest.mark.parametrize(
    ("question", "subject", "verb"),
    [
        ("Is the man with the red tie holding a cup?", "man", "hold"),
        ("Is the woman wearing a hat a nurse?", "woman", "be"),
        ("Is the light in the kitchen on?", "light", "be"),
        ("Is the tall boy happier than the girl?", "boy", "be"),
        ("Does the paper bag contain apples?", "bag", "contain"),
        ("Would the street lamp go out if the fuse blew?", "lamp", "go"),
        ("Has the cake been cut?", "cake", "cut"),
        ("Is there a vase on the shelf?", "vase", "exist"),
        ("Does the sign say that dogs are allowed?", "dogs", "allow"),
    ],
)
def test_a_question_has_a_subject_and_a_verb(question: str, subject: str, verb: str) -> None:
    hypothesis = hypothesis_of(question)
    assert hypothesis is not None
    assert hypothesis.claim.subject.head is not None
    assert (hypothesis.claim.subject.head.written, hypothesis.claim.verb) == (subject, verb)


@pytest.mark.parametrize(
    ("question", "yes", "no", "open_"),
    [
        (  # what somebody has, wears, or has on
            "Is the waiter wearing a bow tie?",
            ["The waiter has a bow tie on.", "He wears a black bow tie."],
            ["There's no bow tie.", "He is wearing neither a tie nor a bow tie.", "The waiter wears no bow tie."],
            ["The guest is wearing a bow tie.", "There is a bow tie on the table.", "He wears a tie."],
        ),
        (  # a part, as what there is on the whole
            "Does the house have a chimney?",
            ["There is a chimney on the house.", "A chimney is visible on the roof of the house."],
            ["No chimney can be seen.", "There isn't any chimney on the house."],
            ["There is a chimney on the factory.", "The house has a balcony."],
        ),
        (  # all, and not all
            "Are both of the doors locked?",
            ["Both doors are locked.", "They are both locked."],
            ["Neither of them is locked.", "Only one of the doors is locked.", "All but one are locked."],
            ["One of the doors is locked.", "The windows are locked."],
        ),
        (  # enough, and too much
            "Would the pole reach the window if it were extended?",
            ["It would be long enough to reach the window.", "Extended, the pole would reach the window easily."],
            ["It would still be too short to reach it.", "The pole would fail to reach the window."],
            ["The window is too high.", "It might reach the window."],
        ),
        (  # what causes and what prevents
            "Would the gate open if the lever were pulled?",
            [
                "Pulling the lever would open the gate.",
                "The lever would make it open.",
                "A pull would let the gate open.",
            ],
            ["The padlock would prevent the gate from opening.", "The chain would stop it from opening."],
            ["Nothing would stop the gate from opening.", "The lever would break."],
        ),
        (  # enough for somebody, and too much for somebody
            "Can the cart pass through the gate?",
            ["The gate is wide enough for the cart to pass.", "It can pass through the gate."],
            ["The gate is too narrow for the cart to pass through.", "The cart can't pass."],
            ["The gate is not too narrow for the cart to pass.", "The cart is too wide."],
        ),
        (  # a part of the place that the image shows
            "Is there a radiator in the classroom?",
            ["There is a radiator below the window.", "A radiator is on the back wall of the classroom."],
            ["There is no radiator in the classroom.", "I don't see a radiator."],
            ["There is a radiator in the corridor.", "There is a radiator shop."],
        ),
        (  # active and passive
            "Does the park allow dogs?",
            ["Dogs are allowed in the park.", "Dogs are allowed."],
            ["Dogs aren't allowed.", "No dogs are allowed in the park."],
            ["Dogs like the park.", "Cats are allowed."],
        ),
        (  # attributes before and after their noun
            "Is the tower made of brick?",
            ["It's a brick tower.", "The tower is made out of brick."],
            ["The tower isn't made of brick.", "It is made of stone, not of brick."],
            ["The wall is made of brick.", "The tower is next to a brick house."],
        ),
        (  # what a thing is full of, and what is on a part of it
            "Are there any leaves on the path?",
            ["The path is covered with leaves.", "There are leaves on the path.", "The path has leaves on it."],
            ["The path has no leaves on it.", "There are no leaves."],
            ["The path is full of stones.", "There are leaves on the roof."],
        ),
        (  # attributes of what somebody owns
            "Is the driver's cap green?",
            ["The driver is wearing a green cap.", "His cap is green."],
            ["The driver's cap is dark blue.", "The driver is wearing a red cap."],
            ["The driver's coat is green.", "The passenger is wearing a green cap."],
        ),
        (  # a subject with a detail
            "Is the boy on the bench reading?",
            ["The boy on the bench is reading a book.", "The boy is reading."],
            ["The boy on the bench is not reading.", "He isn't reading."],
            ["The boy next to the bench is reading.", "The boy is sitting on the bench."],
        ),
        (  # for people of any kind
            "Does anyone in the room have a guitar?",
            ["There is a boy with a guitar.", "The woman by the window has a guitar."],
            ["Nobody has a guitar.", "There's no guitar."],
            ["The room has a piano.", "There is a boy with a violin."],
        ),
    ],
)
def test_what_a_statement_says_of_the_question(question: str, yes: list[str], no: list[str], open_: list[str]) -> None:
    for answer, statements in (("yes", yes), ("no", no), (None, open_)):
        for statement in statements:
            assert extract(statement, "boolean", question).answer == answer, statement


def test_a_statement_that_contradicts_itself_decides_nothing() -> None:
    assert decided("it is locked and it is not locked.", "Is the gate locked?") is None


@pytest.mark.parametrize(
    "statement",
    [
        "anyone but the man is reading.",
        "the man was reading.",
        "the man may be reading.",
        "the man is reading or asleep.",
    ],
)
def test_what_is_not_certain_decides_nothing(statement: str) -> None:
    assert decided(statement, "Is the man reading?") is None


@pytest.mark.parametrize(
    ("question", "response"),
    [
        ("Would the lamp fall if the cord were pulled?", "The lamp would fall only if the table were tilted."),
        ("Does he play the guitar?", "His brother plays the guitar."),
        ("Would he be late if he missed the bus?", "The bus would be late."),
        ("Is the man holding a cup?", "The man has a cup on his table."),
        ("Is the tank full?", "The tank is half full."),
        ("Is the clock showing three?", "The clock shows four."),
        ("Is there enough cake for six?", "There is enough cake for four."),
        ("Would the door open if he pushed it?", "Pulling it would open the door."),
        ("Would the plant grow if it were watered?", "Fertilizer would make the plant grow."),
    ],
)
def test_what_is_said_of_others_or_on_another_condition_is_no_answer(question: str, response: str) -> None:
    assert extract(response, "boolean", question).answer is None


def test_a_question_of_possibility() -> None:
    question = "Is it possible that the boat is sinking?"
    assert decided("that is quite possible.", question) == "yes"
    assert decided("it may be sinking.", question) == "yes"
    assert decided("it may be sinking.", "Is the boat sinking?") is None


@pytest.mark.parametrize(
    ("question", "response", "answer", "status"),
    [
        ("Would the tent hold?", "Only if the pegs were driven in deeper.", None, "ambiguous"),
        ("Would the drawer open?", "Is it locked? No. Would it open? Yes.", "yes", "ok"),
        ("Does the chart show growth?", "2019: 4, 2020: 3. The claim is not supported by the chart.", "no", "ok"),
        ("Would he win?", "Yes... hmm, no. Then again, he is the fastest. So yes.", "yes", "ok"),
        ("Is the box made of oak?", "The label says pine. It's therefore not made of oak.", "no", "ok"),
        ("Does the pole reach the roof?", "Yes. Sorry, I overlooked the gap. The pole is leaning.", None, "ambiguous"),
        ("Are the lamps on?", "Left lamp: it is on ✅\nRight lamp: it is off ❌", None, "ambiguous"),
        ("Is it safe?", "It's a close call: yes for adults, no for children.", None, "ambiguous"),
        ("Do the shoes match?", "One is red, one is blue. They therefore don't match.", "no", "ok"),
    ],
)
def test_how_a_whole_text_answers(question: str, response: str, answer: str | None, status: str) -> None:
    found = extract(response, "boolean", question)
    assert (found.answer, found.status) == (answer, status)


@pytest.mark.parametrize(
    ("question", "response", "answer"),
    [
        ("¿Lleva el niño una gorra?", "El niño no lleva ninguna gorra.", "no"),
        ("¿Lleva el niño una gorra?", "El niño lleva una gorra azul.", "yes"),
        ("Ist die Brücke gesperrt?", "Die Brücke ist nicht gesperrt.", "no"),
        ("Стоит ли лодка у берега?", "Лодка не стоит у берега.", "no"),
        ("图中的孩子在跑步吗？", "图中的孩子没有在跑步。", "no"),
        ("女性は帽子をかぶっていますか。", "女性は帽子をかぶっていません。", "no"),
        ("女性は帽子をかぶっていますか。", "女性は帽子をかぶっています。", "yes"),
        ("문이 열려 있습니까?", "창문에 커튼이 달려 있습니다.", None),
    ],
)
def test_statements_in_other_languages(question: str, response: str, answer: str | None) -> None:
    assert foreign_polarity(response, question) == answer
