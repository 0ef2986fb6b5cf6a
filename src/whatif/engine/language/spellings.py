"""Words in one spelling and in the singular, so that `grey cats` and `gray cat` are the same answer."""

from __future__ import annotations

# British spelling, American spelling; only spelling, no other words for the same thing (`lorry`, `truck`).
_AMERICAN = """
    aeroplane airplane, aeroplanes airplanes, aluminium aluminum, analyse analyze, analogue analog, armour armor,
    axe ax, behaviour behavior, calibre caliber, catalogue catalog, centimetre centimeter, centimetres centimeters,
    centre center, centred centered, centres centers, cheque check, cheques checks, chequered checkered, clamour
    clamor, colour color, coloured colored, colouring coloring, colours colors, colourful colorful, cosy cozy,
    defence defense, dialogue dialog, doughnut donut, doughnuts donuts, favour favor, favourite favorite, fibre
    fiber, fibres fibers, flavour flavor, flavours flavors, fulfil fulfill, gaol jail, glamour glamor, grey gray,
    greyish grayish, harbour harbor, harbours harbors, honour honor, humour humor, jeweller jeweler, jewellery
    jewelry, kerb curb, kerbs curbs, kilometre kilometer, kilometres kilometers, labour labor, licence license,
    litre liter, litres liters, manoeuvre maneuver, marvellous marvelous, meagre meager, metre meter, metres meters,
    millimetre millimeter, millimetres millimeters, mould mold, mouldy moldy, moustache mustache, moustaches
    mustaches, neighbour neighbor, neighbourhood neighborhood, neighbours neighbors, odour odor, offence offense,
    organise organize, organised organized, panelled paneled, parlour parlor, plough plow, ploughs plows, practise
    practice, programme program, programmes programs, pyjamas pajamas, realise realize, recognise recognize, rumour
    rumor, savoury savory, sceptical skeptical, sombre somber, speciality specialty, splendour splendor, storey
    story, storeys stories, sulphur sulfur, theatre theater, theatres theaters, tonne ton, tonnes tons, travelled
    traveled, traveller traveler, travellers travelers, travelling traveling, tyre tire, tyres tires, vapour vapor,
    waggon wagon, woollen woolen, yoghurt yogurt, yoghurts yogurts
"""
# Plural, singular, where `_regular` would be wrong; and words that end in s in the singular, too.
_SINGULAR = """
    avalanches avalanche, buses bus, calves calf, canoes canoe, children child, cookies cookie, dice die, elves elf,
    feet foot, gases gas, geese goose, goodies goody, halves half, headaches headache, hoodies hoodie, horseshoes
    horseshoe, hooves hoof, knives knife, leaves leaf, lens lens, lenses lens, lice louse, lies lie, lives life,
    loaves loaf, men man, mice mouse, movies movie, mustaches mustache, news news, octopuses octopus, oxen ox,
    people person, pies pie, scarves scarf, selves self, series series, sheaves sheaf, shelves shelf, shoes shoe,
    smoothies smoothie, species species, teeth tooth, thieves thief, ties tie, toes toe, walruses walrus, wolves
    wolf, women woman
"""
_SHORT = 3  # letters: `bus`, `gas`, `yes` are no plurals


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split() for pair in text.split(","))


AMERICAN = _pairs(_AMERICAN)
SINGULAR = _pairs(_SINGULAR)


def one_form(word: str) -> str:
    """A lower-case word in American spelling and in the singular; compound nouns of men and women, too."""
    word = AMERICAN.get(word, word)
    for irregular in ("women", "men"):
        if word.endswith(irregular) and word not in ("specimen", "omen", "abdomen", "regimen"):
            return word.removesuffix(irregular) + SINGULAR[irregular]
    return SINGULAR.get(word) or _regular(word)


def _regular(word: str) -> str:
    if len(word) <= _SHORT or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("xes", "ches", "shes", "sses", "zzes", "oes")) else word[:-1]
