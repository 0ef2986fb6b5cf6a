"""Forms of responses to open questions: lists of parts, further turns, denials, suppositions."""

from __future__ import annotations

import pytest

from whatif.scoring.extraction.answer import extract
from whatif.scoring.extraction.extracted import Kind

LEFT = "How many cars would be in the lot if two drove away?"
MORE = "How many chairs would be around the table if three were added?"
GLASSES = "How many people are wearing glasses?"
BOATS = "How many boats are there?"
FALL = "Would the ball fall if the girl let go?"
REACH = "Can the cat reach the bird?"
TIES = "Are the two men wearing ties?"
HYDRANT = "Is there a fire hydrant on the sidewalk?"


@pytest.mark.parametrize(
    ("kind", "question", "response", "answer"),
    [
        ("number", BOATS, "- Sailboats: 3\n- Motorboats: 2\n\nSo five boats.", "5"),
        ("number", BOATS, "Two rows of five boats.", None),
        ("number", BOATS, "5\n\nQuestion: How many people are there?\nAnswer: 3", "5"),
        ("number", BOATS, "5\nHuman: and cars?\nAssistant: 2", "5"),
        ("number", BOATS, "5 boats. To check: 3 + 2 = 5.", "5"),
        ("number", LEFT, "There would be 2 fewer cars.", None),
        ("number", LEFT, "There are 8 cars in the lot. If two drove away, there would be", None),
        ("number", MORE, "4, or 7 if the stools count.", None),
        ("number", MORE, "The number of chairs if three were added would be 7.", "7"),
        ("boolean", FALL, "After a minute: yes. After an hour: no.", None),
        ("boolean", FALL, "No. USER: Why? ASSISTANT: Yes, because of the string.", "no"),
        ("boolean", REACH, "It could if it jumped.", None),
        ("boolean", TIES, "Both men are wearing ties.", "yes"),
        ("boolean", TIES, "Both men are wearing hats.", None),
        ("boolean", HYDRANT, "There doesn't appear to be a fire hydrant on the sidewalk.", "no"),
        ("boolean", HYDRANT, "There's nothing on the road.", None),
        ("number", LEFT, "Based on the photo, there are eight cars. If two drove away, six cars would remain.", "6"),
        ("number", LEFT, "Initially there are 8 cars. After two leave, we have 8 - 2 = 6.\n\n**Answer: 6**", "6"),
        ("number", LEFT, "Only bicycles are shown, so there would be no cars in the lot.", "0"),
        ("boolean", FALL, "Yes, if the girl let go of the ball, it would drop to the floor.", "yes"),
        ("boolean", FALL, "If the girl let go, the ball would fall.", "yes"),
        ("boolean", FALL, "It would not fall because it lies on a shelf.", "no"),
        ("boolean", FALL, "Most likely, yes.", "yes"),
        ("boolean", FALL, "Absolutely! Nothing else holds it.", "yes"),
        ("boolean", FALL, "Definitely not.", "no"),
        ("boolean", FALL, "Without the string, the ball would fall.", "yes"),
        ("boolean", FALL, "With nothing under it, the ball would fall.", "yes"),
        ("boolean", FALL, "It is unlikely that the ball would fall.", None),
        ("boolean", FALL, "The ball would hardly fall.", None),
        ("boolean", FALL, "The ball would not only fall but also bounce.", None),
        ("boolean", FALL, "The ball would fall unless it is glued.", None),
        ("boolean", FALL, "The ball would fall if it were not tied to the ceiling.", None),
        ("boolean", FALL, "The ball would fall if she let go.", "yes"),
        ("boolean", FALL, "Is the ball glued? No.", None),
        ("boolean", FALL, "Of course it would!", "yes"),
        ("boolean", FALL, "No, it wouldn't.", "no"),
        ("number", LEFT, "The number of cars would be reduced by 2.", None),
        ("number", LEFT, "My first guess was 6, but after a closer look it's 5.", None),
        ("number", LEFT, "Only six.", "6"),
    ],
)
def test_form(kind: Kind, question: str, response: str, answer: str | None) -> None:
    found = extract(response, kind, question)
    assert found.answer == answer, found
    assert (found.status == "ok") == (answer is not None)


@pytest.mark.parametrize(
    ("kind", "question", "response", "answer"),
    [
        ("number", BOATS, "3 sailboats, 2 motorboats = 5", "5"),
        ("number", BOATS, "There are two boats. One boat is red, while the other boat is blue. Three gulls fly.", "2"),
        ("number", LEFT, "Six cars would remain, as there are eight parked there at the moment.", "6"),
        ("number", MORE, "We have 4. We add 3. We get 7.", "7"),
        ("number", MORE, "In the image: 4\nIn the scenario: 7", "7"),
        ("number", MORE, "Adding 3 to 4 yields 7.", "7"),
        ("number", GLASSES, "Five people are shown, but only two wear glasses.", "2"),
        ("number", GLASSES, "The image shows 5 people, 2 of whom wear glasses.", "2"),
        ("number", GLASSES, "Number of people: 5\nPeople wearing glasses: 2", "2"),
        ("boolean", FALL, "Of course it would.", "yes"),
        ("boolean", FALL, "It is on a shelf and would not fall.", "no"),
        ("boolean", FALL, "In that case, the ball would not fall.", "no"),
        ("boolean", FALL, "( ) Yes (x) No", "no"),
        ("boolean", REACH, "The cat is unable to reach the bird.", "no"),
        ("boolean", HYDRANT, "Sadly no.", "no"),
    ],
)
def test_a_form_that_only_one_reader_may_read_is_not_read_wrongly(
    kind: Kind, question: str, response: str, answer: str
) -> None:
    assert extract(response, kind, question).answer in (answer, None)


@pytest.mark.parametrize(
    ("question", "response", "answer"),
    [
        ("How many dogs would be running if two cats were running?", "Two dogs would be running.", "2"),
        ("How many dogs would be running if two cats were running?", "There would be two dogs running.", "2"),
        ("How many dogs would be running if two cats were running?", "If two cats ran, 2 dogs would be running.", "2"),
        ("How many dogs would be running if two cats were running?", "Two cats would be running.", None),
        ("How many red cars would be parked if two blue cars were parked?", "Two red cars would be parked.", "2"),
        ("How many birds would fly away if 4 children shouted?", "4 birds would fly away.", "4"),
        # A number before an adjective of the question's other things:
        ("How many orange cones would there be if there were three orange roadblocks?", "Three orange cones.", "3"),
        ("How many tennis rackets would be needed if four tennis players played?", "Four tennis rackets.", "4"),
        # The question's own predicate, with the number of the supposition:
        ("How many guys would be skateboarding if 3 guys were skateboarding?", "3 guys would be skateboarding.", "3"),
        ("How many doors would be open if two doors were opened?", "Two doors would be open.", "2"),
        ("How many doors would be open if two doors were opened?", "Two doors were opened.", None),
        ("How many people would appear if 3 more people appeared?", "Three people would appear.", "3"),
        # The supposition itself, over again:
        ("How many dogs would there be if 3 dogs were added?", "3 dogs were added.", None),
        ("How many dogs would there be if 3 more were added?", "3 dogs would be added.", None),
        ("How many dogs would there be if 3 cats and 3 dogs were added?", "3 dogs would be added.", None),
    ],
)
def test_a_number_of_other_things_in_the_supposition_is_an_answer_too(
    question: str, response: str, answer: str | None
) -> None:
    assert extract(response, "number", question).answer == answer


@pytest.mark.parametrize(
    ("question", "response", "answer"),
    [
        ("How many donuts would be shown {}?", "Ten donuts would be shown {}.", "10"),
        ("How many apples would be left {}?", "Five apples would be left {}.", "5"),
        ("How many legs would you see {}?", "There would be seven legs {}.", "7"),
    ],
)
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            "if there were two children, and each had eaten three donuts",
            "if there were 2 children and each had eaten 3 donuts",
        ),
        ("if Tom ate two, and Ann ate one", "if Tom ate two, and Ann ate one"),
        ("if there were 2 dogs, and one of them had 3 legs", "if there were two dogs, and one of them had three legs"),
    ],
)
def test_a_repeated_if_clause_with_a_comma_is_no_answer(
    question: str, response: str, answer: str, asked: str, said: str
) -> None:
    for clause in (asked, said):
        assert extract(response.format(clause), "number", question.format(asked)).answer in (answer, None)


@pytest.mark.parametrize("kind", ["number", "boolean", "text"])
def test_no_options_are_the_same_as_none_given(kind: Kind) -> None:
    assert extract("Yes, 3.", kind, "How many are there?", []) == extract("Yes, 3.", kind, "How many are there?")


OLDER = "Is the boy older than the girl?"
CONES = "Are all the cones orange?"
ARROWS = "How many arrows hit the target?"
MILK = "How many bottles of milk are in the fridge door?"
SHEEP = "How many sheep would be inside the fence if four escaped?"


@pytest.mark.parametrize(
    ("kind", "question", "response", "answer"),
    [
        ("boolean", OLDER, "The girl appears to be older than the boy.", "no"),
        ("boolean", OLDER, "The girl is not older than the boy.", None),
        ("boolean", CONES, "Most of the cones are orange.", "no"),
        ("boolean", CONES, "One of the cones is not orange.", "no"),
        ("boolean", CONES, "Some of the cones are orange.", None),
        ("number", ARROWS, "There are six arrows in total. Five hit the target, and one landed in the grass.", "5"),
        ("number", MILK, "There are two bottles of milk and one bottle of juice in the fridge door.", "2"),
        ("number", SHEEP, "With four escaping, 7 would remain inside, and 6 would be outside.", "7"),
    ],
)
def test_a_description_is_not_read_as_another_answer(
    kind: Kind, question: str, response: str, answer: str | None
) -> None:
    found = extract(response, kind, question)
    assert found.answer in (answer, None), found
