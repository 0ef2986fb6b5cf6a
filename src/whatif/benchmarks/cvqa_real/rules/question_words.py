"""Words of questions: singular and plural, articles, what moves and what is eaten, and the pronoun of a phrase."""

from __future__ import annotations

import re
from typing import NamedTuple

from whatif.engine.language.number_words import NUMBER, canonical, in_digits

PERSON, FLYING, SWIMMING, ANIMAL, FOOD, VEHICLE, AIRCRAFT, THING = (
    "person",
    "flying",
    "swimming",
    "animal",
    "food",
    "vehicle",
    "aircraft",
    "thing",
)


def words_of(text: str) -> frozenset[str]:
    """The words of a text with spaces between them."""
    return frozenset(text.split())


DETERMINERS = words_of("the this that these those a an his her their its my your our some any each every")
PREPOSITIONS = words_of(
    "in on at under underneath behind near inside outside above below beneath beside by over with from "
    "around next across along between against through for to into onto about without among within off"
)
# Words that end in `ing` and are no verbs.
_NOUNS_IN_ING = words_of(
    "anything awning bedding beginning blessing bling building buildings ceiling clothing crossing "
    "duckling during earring evening everything fencing filling flooring frosting herring icing king "
    "landing lightning lining living dining morning nothing opening painting parking pudding railing "
    "ring roofing sibling siding sling something spring stocking string stuffing swing thing topping "
    "wedding wing wiring setting interesting exciting boring surprising shocking amazing inviting "
    "stunning charming outstanding appealing relaxing refreshing"
)
_IRREGULAR = {
    "people": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "geese": "goose",
    "oxen": "ox",
    "sheep": "sheep",
    "fish": "fish",
    "deer": "deer",
    "aircraft": "aircraft",
    "dice": "die",
    "cacti": "cactus",
    "knives": "knife",
    "leaves": "leaf",
    "shelves": "shelf",
    "loaves": "loaf",
    "scarves": "scarf",
    "halves": "half",
    "calves": "calf",
    "wolves": "wolf",
    "hooves": "hoof",
    "horses": "horse",
    "buses": "bus",
    "busses": "bus",
    "shoes": "shoe",
    "toes": "toe",
    "canoes": "canoe",
    "zoos": "zoo",
    "lenses": "lens",
    "mattresses": "mattress",
    "axes": "axe",
}
_PLURALS = {single: several for several, single in _IRREGULAR.items() if several != "busses"}
_KEEP_IE = words_of("cookies pies ties movies brownies veggies hoodies smoothies selfies doggies collies birdies")
_STEMS_IN_SE = re.compile(r"(?:[aou]s|rs|ns|ps|ees|ois|ais|eas)es$")  # vases, purses, houses, cheeses
_ONLY_PLURAL = words_of(
    "scissors pants jeans shorts trousers sunglasses goggles binoculars clothes glasses eyeglasses "
    "tights leggings headphones pliers pajamas overalls"
)
_NOT_PLURAL = re.compile(r"ss$|us$|^(?:this|his|its|tennis|always|across)$")
_AN = re.compile(r"(?!uni|use|usu|eu|one\b|once|ute)[aeiou]|hour|honest|x-ray", re.IGNORECASE)

_MALE = words_of("man boy guy gentleman father dad grandfather husband king brother groom batsman policeman fireman")
_FEMALE = words_of("woman girl lady mother mom grandmother wife queen sister bride waitress policewoman")
_PEOPLE = (
    _MALE
    | _FEMALE
    | words_of(
        "person child kid adult human baby toddler player skier surfer skateboarder snowboarder rider biker "
        "cyclist bicyclist motorcyclist pitcher catcher batter hitter umpire umpires referee athlete worker "
        "driver passenger pedestrian spectator chef cook waiter bartender dancer student teacher soldier "
        "officer cop police guard farmer fisherman jockey cowboy teenager teen male female individual "
        "customer shopper friend golfer runner jogger swimmer photographer conductor musician singer "
        "clown kite-flyer skater onlooker bystander tourist boater rower vendor someone "
        "anyone everyone somebody anybody everybody fireman goalie fan doctor nurse human being audience "
        "member members"
    )
)
_FLIERS = words_of(
    "bird duck goose seagull gull pigeon butterfly bee parrot eagle hawk owl crow swan dove sparrow "
    "pelican parakeet fly insect bat robin stork"
)
_SWIMMERS = words_of("fish shark whale dolphin turtle seal jellyfish")
_ANIMALS = (
    _FLIERS
    | _SWIMMERS
    | words_of(
        "animal dog cat horse cow sheep zebra giraffe elephant bear goat pig lamb calf puppy kitten deer "
        "lion tiger monkey ox bull donkey mule pony camel rabbit squirrel mouse rat chicken rooster hen ram "
        "llama wolf fox panda rhino hippo canine feline mammal cattle bison buffalo antelope gazelle foal "
        "cub ostrich flamingo peacock penguin frog lizard snake spider crab pet livestock moose kangaroo "
        "koala leopard cheetah raccoon hamster creature emu bovine"
    )
)
_FOODS = words_of(
    "apple banana orange pizza donut doughnut sandwich cake cupcake carrot hotdog dog-food slice fruit "
    "vegetable cookie egg tomato potato strawberry grape lemon lime pear peach cherry pepper mushroom "
    "onion olive bagel muffin pastry croissant bun burger hamburger fry taco burrito waffle pancake "
    "sausage meatball shrimp pickle cucumber broccoli floret bread toast food pepperoni cheese candy "
    "brownie biscuit melon watermelon pineapple kiwi berry blueberry raspberry avocado bean pea nut "
    "radish    bite meat salad rice noodle pie dessert snack plum mango"
)
_AIRCRAFT = words_of("plane airplane aircraft jet helicopter")
_VEHICLES = words_of(
    "car bus truck van motorcycle bike bicycle train boat ship vehicle taxi cab tractor trolley tram "
    "scooter motorbike suv jeep ambulance canoe kayak sailboat ferry yacht minivan automobile carriage "
    "moped"
)
_KINDS = {
    PERSON: _PEOPLE,
    FLYING: _FLIERS,
    SWIMMING: _SWIMMERS,
    ANIMAL: _ANIMALS,
    FOOD: _FOODS,
    AIRCRAFT: _AIRCRAFT,
    VEHICLE: _VEHICLES,
}
_PARTS = words_of("leg eye ear arm hand foot wheel wing head tail finger paw horn tusk")


class NotChangedError(Exception):
    """Why a question cannot be changed; its text is the reason."""


def refuse_if(*cases: tuple[bool, str]) -> None:
    """Raises NotChangedError with the reason of the first case that is true."""
    for case, reason in cases:
        if case:
            raise NotChangedError(reason)


class Pronoun(NamedTuple):
    """The forms of a pronoun, and `be` in the past that goes with its subject."""

    subject: str
    object: str
    possessive: str
    was: str


HE = Pronoun("he", "him", "his", "was")
SHE = Pronoun("she", "her", "her", "was")
THEY = Pronoun("they", "them", "their", "were")
IT = Pronoun("it", "it", "its", "was")
_PRONOUNS = {
    "he": HE,
    "she": SHE,
    "they": THEY,
    "it": IT,
    "this": IT,
    "that": IT,
    "these": THEY,
    "those": THEY,
    "everyone": THEY,
    "everybody": THEY,
}


def cleaned(question: str) -> str:
    """The question on one line, with single spaces, without its question marks."""
    return " ".join(re.sub(r"[\u2018\u2019]", "'", question).split()).rstrip("?.! ")


def is_plural(noun: str) -> bool:
    """Whether a noun is in the plural, by its form."""
    word = noun.lower()
    if word in _IRREGULAR or word in _ONLY_PLURAL:
        return True
    return len(word) > 2 and word.endswith("s") and not _NOT_PLURAL.search(word) and "'" not in word


def has_singular(noun: str) -> bool:
    """Whether a plural noun has a singular: `scissors` has none."""
    return noun.lower() not in _ONLY_PLURAL


def singular(noun: str) -> str:
    """The singular of a plural noun."""
    word = noun.lower()
    if word in _IRREGULAR:
        return _as(noun, _IRREGULAR[word])
    compound = re.fullmatch(r"(.*)(men|people)", word)  # firemen, snowmen
    if compound and compound[1]:
        return _as(noun, compound[1] + _IRREGULAR[compound[2]])
    if word.endswith("ies") and word not in _KEEP_IE and len(word) > 4:
        return noun[:-3] + "y"
    if re.search(r"(?:ss|x|ch|sh|zz|o)es$", word) or (word.endswith("uses") and not word.endswith(("ouses", "auses"))):
        return noun[:-2]
    if word.endswith("ses") and not _STEMS_IN_SE.search(word):
        return noun[:-2]
    return noun[:-1] if word.endswith("s") else noun


def plural(noun: str) -> str:
    """The plural of a singular noun."""
    word = noun.lower()
    if word in _PLURALS:
        return _as(noun, _PLURALS[word])
    if word.endswith("man") and word not in {"human", "woman", "man", "german", "roman"}:
        return noun[:-2] + "en"
    if re.search(r"[^aeiou]y$", word):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search(r"(?:s|x|z|ch|sh)$", word) or word in {"tomato", "potato", "mango"} else "s")


def with_article(phrase: str) -> str:
    """`a` or `an` before a phrase."""
    return f"{'an' if _AN.match(phrase) else 'a'} {phrase}"


def kind_of(noun: str) -> str:
    """What a noun in the singular stands for: a person, an animal, food, a vehicle, or a thing."""
    word = noun.lower().rpartition("-")[2]
    if word.endswith(("man", "person")) and word != "snowman":
        return PERSON
    return next((kind for kind, nouns in _KINDS.items() if word in nouns), THING)


def is_alive(noun: str) -> bool:
    """Whether a noun in the singular stands for a person or an animal."""
    return kind_of(noun) in {PERSON, FLYING, SWIMMING, ANIMAL}


def is_part(noun: str) -> bool:
    """Whether a noun in the singular is a part that belongs to something: a leg, a wheel."""
    return noun.lower() in _PARTS


def is_verb_in_ing(word: str) -> bool:
    """Whether a word has the form of a verb such as `wearing`."""
    lower = word.lower()
    return len(lower) > 4 and lower.endswith("ing") and lower not in _NOUNS_IN_ING


def head_of(phrase: str) -> str:
    """The noun at the head of a phrase: `cat` of `the black cat on the bed`; the last word where it cannot be told."""
    words = phrase.split()
    for place, word in enumerate(words):
        if place and (word.lower() in PREPOSITIONS or word.lower() in {"of", "that", "who"} or is_verb_in_ing(word)):
            return words[place - 1]
    return words[-1] if words else ""


def pronoun_of(subject: str) -> Pronoun:
    """The pronoun that stands for a phrase: he, she, it or they (also for one person whose gender is not told)."""
    first = subject.lower()
    if first in _PRONOUNS:
        return _PRONOUNS[first]
    noun = head_of(subject).lower()
    several = first.partition(" ")[0] in {"these", "those", "all", "both", "most"}
    if several or " and " in first or (is_plural(noun) and noun not in {"bus", "glass"}):
        return THEY
    if noun in _MALE or noun.endswith("boy"):
        return HE
    if noun in _FEMALE:
        return SHE
    return THEY if kind_of(noun) == PERSON else IT


def numbers_in(text: str) -> set[str]:
    """The numbers of a text, in digits or in words, in the form used for comparison."""
    return {canonical(found) for found in re.findall(NUMBER, in_digits(text))}


def _as(noun: str, other: str) -> str:
    return other.capitalize() if noun[:1].isupper() else other
