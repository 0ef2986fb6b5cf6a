"""What ends a state, and what brings it about: the presuppositions of boolean questions (C-VQA 3.1).

In the clauses, {s} is the pronoun of the subject, {o} its object form, {p} its possessive and {was} `was` or `were`.
"""

from __future__ import annotations

from whatif.benchmarks.cvqa_real.rules.question_words import words_of

# A state at the end of a question: what would make it untrue, and what would make it true.
STATES: dict[str, tuple[str, str]] = {
    state: (ends, begins)
    for states, ends, begins in (
        ("open", "{s} {was} closed", "somebody opened {o}"),
        ("closed|shut", "{s} {was} opened", "somebody shut {o}"),
        ("turned on", "{s} {was} switched off", "somebody switched {o} on"),
        ("on|lit|lit up|illuminated|switched on", "{s} {was} turned off", "somebody switched {o} on"),
        ("off|turned off|switched off", "somebody switched {o} on", "{s} {was} not in use and without power"),
        ("clean", "{s} became dirty", "all dirt was washed off"),
        ("dirty", "{s} {was} washed thoroughly", "mud was spread all over {o}"),
        ("empty", "{s} {was} filled", "everything was taken out of {o}"),
        ("full", "{s} {was} emptied", "somebody filled {o} to the top"),
        ("wet", "{s} dried in the sun", "water was poured over {o}"),
        ("dry", "water was poured over {o}", "{s} had been in the sun long enough"),
        ("up|raised", "{s} {was} lowered", "somebody lifted {o}"),
        ("down|lowered", "{s} {was} lifted", "somebody lowered {o}"),
        ("happy", "{s} had just received very sad news", "{s} had just received wonderful news"),
        ("sad", "{s} had just received wonderful news", "{s} had just received terrible news"),
        ("asleep", "{s} woke up", "{s} fell into a deep sleep"),
        ("awake", "{s} fell asleep", "somebody woke {o}"),
        ("alive", "{s} died", "{s} came to life"),
        ("hungry", "{s} had eaten a lot", "{s} had eaten nothing for two days"),
        ("tired", "{s} had slept well", "{s} had run a long way"),
        ("ripe", "{s} {was} still green and hard", "{s} had a few more weeks in the sun"),
        ("cooked", "{s} {was} still raw", "{s} had been in the oven long enough"),
        ("raw", "{s} {was} cooked", "{s} had never been cooked"),
        ("hot", "{s} cooled down", "{s} {was} heated"),
        ("cold", "{s} {was} heated", "{s} cooled down a lot"),
        ("warm", "{s} became icy", "{s} {was} heated"),
        ("broken", "{s} {was} repaired", "somebody smashed {o}"),
        ("messy|cluttered|untidy", "{s} {was} tidied up", "things lay around everywhere"),
        ("neat|tidy|organized|organised", "things lay around everywhere", "somebody cleaned up thoroughly"),
        ("straight", "{s} {was} bent", "somebody removed every bend in {o}"),
        ("tall", "{s} {was} only one inch high", "{s} {was} a hundred times as high"),
        ("large|big|huge", "{s} {was} shrunk to the size of a coin", "{s} {was} a hundred times as wide and high"),
        ("small|tiny|little", "{s} {was} a hundred times as wide and high", "{s} {was} shrunk to the size of a coin"),
        ("crowded|busy", "everyone went away", "hundreds of people came"),
        ("deserted|abandoned|vacant", "hundreds of people came", "everyone went away for good"),
        ("bald", "{s} had long hair", "all of {p} hair was shaved off"),
        ("naked|nude|shirtless", "{s} put on a coat", "{s} took off all {p} clothes"),
        ("barefoot", "{s} put on shoes", "{s} took off {p} shoes and socks"),
        ("bent", "{s} {was} straightened", "somebody folded {o} in the middle"),
        ("made", "{s} {was} in disorder after the night", "somebody put the sheets in order"),
        ("mowed|cut|trimmed", "{s} had been left to grow", "somebody took a pair of shears to {o}"),
        ("green and grassy|grassy", "all the grass was removed", "a lawn was planted there"),
        ("frozen", "{s} thawed", "{s} had been in a freezer for a day"),
        ("folded", "{s} {was} spread out", "somebody laid one half over the other"),
        ("plugged in", "somebody pulled the plug", "somebody put the plug into the socket"),
        ("in focus", "{s} {was} blurred", "the lens was adjusted well"),
        ("blurry|blurred|out of focus", "the camera was adjusted well", "the camera was shaken"),
        ("in color|colored|colorful|in colour", "all colour was taken away", "many bright colours were put into {o}"),
        ("in black and white|black and white", "many bright colours were put into {o}", "only shades of grey remained"),
        ("in motion|moving", "{s} stopped", "{s} started to roll"),
        ("stopped", "{s} moved on", "{s} came to a halt"),
        ("parked", "{s} drove away", "the driver left {o} by the kerb"),
        ("airborne|in the air|in flight|midair|in mid-air|in midair", "{s} came down to the ground", "{s} took off"),
        ("on the ground", "{s} rose high into the sky", "{s} came down to earth"),
        ("real", "{s} {was} only a plastic copy", "{s} {was} replaced with a genuine one"),
        ("fake", "{s} {was} replaced with a genuine one", "{s} {was} replaced with a plastic copy"),
        ("paved", "all asphalt was torn up", "asphalt was laid there"),
        ("sliced", "{s} {was} still whole", "somebody took a knife and made thin pieces of {o}"),
        ("whole", "somebody cut {o} into pieces", "nobody had taken a piece of {o}"),
        ("decorated", "all ornaments were removed", "ornaments were hung on {o}"),
        ("framed", "{s} {was} taken out of the frame", "somebody put a frame around {o}"),
        ("covered", "the cover was taken off", "somebody put a sheet over {o}"),
        ("visible", "{s} {was} hidden behind a wall", "nothing stood in front of {o} any more"),
        ("shiny", "{s} {was} covered with dust", "{s} {was} polished"),
        ("dark", "bright lamps lit {o}", "all light was taken away"),
        ("bright|well lit|brightly lit", "all lamps were turned off at night", "strong lamps were turned on"),
        ("calm", "a storm came up", "the storm was over and nothing moved"),
        ("rough|choppy|wavy", "there was no wind at all", "a storm came up"),
        ("blooming|in bloom", "all blossoms fell off", "all buds opened"),
        ("fresh", "{s} {was} several weeks old", "{s} had just been brought from the farm"),
        ("rusty", "{s} {was} new", "{s} had lain in the rain for years"),
        ("old", "{s} {was} only a day old", "many years had passed"),
        ("new", "{s} had been in use for fifty years", "{s} {was} made yesterday"),
        ("young", "{s} {was} eighty years old", "{s} {was} five again"),
        ("left handed|left-handed", "{s} did everything with the right hand", "{s} did everything with the other hand"),
        ("married", "{s} had never had a wedding", "{s} had a wedding"),
        ("bored", "{s} {was} fascinated by something new", "nothing new had happened for hours"),
        ("angry|mad", "{s} calmed down and laughed", "somebody insulted {o}"),
        ("scared|afraid", "{s} felt perfectly safe", "a lion ran at {o}"),
        ("alone", "many others came along", "all others went away"),
        ("steep|hilly", "the ground was made level", "{s} rose like a cliff"),
        ("flat", "{s} rose to a high hill in the middle", "every bump was levelled"),
        ("curly", "{s} {was} straightened", "somebody twisted {o} around a hot iron"),
        ("cloudy|overcast", "every cloud went away", "clouds covered everything"),
        ("clear|blue and clear", "thick clouds covered everything", "every cloud and all mist went away"),
        ("plaid|striped|checkered|patterned", "{s} {was} replaced with a plain one", ""),
        ("inside|indoors", "{s} {was} out in the open", "{s} {was} brought into a house"),
        ("outside|outdoors", "{s} {was} brought into a house", "{s} {was} out in the open"),
        ("wooden|made of wood", "{s} {was} made entirely of steel", "{s} {was} made of oak planks"),
        ("metal|made of metal", "{s} {was} made entirely of oak planks", "{s} {was} made of steel"),
        ("plastic|made of plastic", "{s} {was} made entirely of steel", "{s} {was} made of nothing but polyethylene"),
        ("made of glass", "{s} {was} made entirely of steel", "{s} {was} blown by a glassblower"),
        ("made of brick", "{s} {was} made entirely of steel", "a mason built {o} anew, brick by brick"),
        ("round|circular", "{s} {was} pressed into a cube", "{s} {was} formed into a ring"),
        ("square", "{s} {was} formed into a ring", "all four of {p} sides were made equally long"),
        ("foggy|hazy|misty", "the air became perfectly clear", "a thick mist came up"),
        ("smooth", "deep scratches were made all over {o}", "{s} {was} polished for hours"),
    )
    for state in states.split("|")
}
_SKY = frozenset({"sky"})
_IMAGES = frozenset({"picture", "photo", "image", "photograph", "pictures", "photos", "pic", "painting", "film", "tv"})
# States that only some subjects can have in the sense of the clauses above.
ONLY_OF: dict[str, frozenset[str]] = {
    **dict.fromkeys(("clear", "cloudy", "overcast", "blue and clear"), _SKY),
    **dict.fromkeys(("in black and white", "black and white", "in color", "colored", "in colour"), _IMAGES),
    **dict.fromkeys(("mowed", "cut", "trimmed"), frozenset({"grass", "lawn", "hair", "hedge", "field", "bushes"})),
    "full": frozenset(
        {"glass", "cup", "mug", "bowl", "bottle", "bucket", "bag", "basket", "box", "vase", "sink", "bathtub", "tank"}
    ),
    "made": frozenset({"bed", "beds"}),
    "curly": frozenset({"hair"}),
}
# Of `it` without a noun: the weather and the time.
WEATHER: dict[str, tuple[str, str]] = {
    state: (ends, begins)
    for states, ends, begins in (
        ("raining|rainy", "every cloud went away", "heavy drops fell from the sky"),
        ("snowing", "it was summer in a hot country", "thick flakes fell from the sky"),
        ("sunny|sunny out|sunny outside|a sunny day", "thick clouds covered the sky", "every cloud went away at noon"),
        ("cloudy|overcast|a cloudy day", "every cloud went away", "grey clouds covered the sky"),
        ("daytime|day time|day|light outside", "it was midnight", "it was noon"),
        ("night|nighttime|night time|dark|dark outside", "it was noon", "it was midnight"),
        ("windy|a windy day", "the air was perfectly still", "a storm came up"),
        ("winter", "it was the hottest month of the year", "it was the month with the most snow"),
        ("summer", "it was the month with the most snow", "it was the hottest month of the year"),
        ("cold|cold outside|cold out|chilly", "there was a heat wave", "there was a hard frost"),
        ("hot|warm|warm outside|hot outside", "there was a hard frost", "there was a heat wave"),
        ("wet|wet outside", "it had not rained for weeks", "it had just rained heavily"),
    )
    for state in states.split("|")
}
# Activities: what ends them. `{rest}` is what follows the verb, with `the` for `a`.
ENDS_OF: dict[str, str] = {
    "sitting": "{s} stood up",
    "standing": "{s} sat down",
    "walking": "{s} stood still",
    "running": "{s} stood still",
    "sleeping": "{s} woke up",
    "flying": "{s} landed on the ground",
    "lying": "{s} got up",
    "laying": "{s} got up",
    "smiling": "{s} looked serious",
    "crouching": "{s} stood upright",
    "kneeling": "{s} stood upright",
    "swimming": "{s} got out of the water",
    "jumping": "{s} stood still on the ground",
    "leaning": "{s} stood upright",
}
BEGINNINGS_OF: dict[str, str] = {
    "sitting": "{s} sat down {rest}",
    "standing": "{s} went and stood {rest}",
    "sleeping": "{s} fell asleep {rest}",
    "flying": "{s} rose into the air",
    "lying": "{s} lay down {rest}",
    "laying": "{s} lay down {rest}",
    "wearing": "{s} put on {rest}",
    "holding": "{s} took {rest} in {p} hands",
    "riding": "{s} got on {rest} and rode off",
}
MASS = words_of(
    "water snow grass food ice sauce cheese trash garbage traffic sand dirt mud graffiti meat rice bread "
    "wine beer milk coffee tea sugar salt butter cream ketchup mustard mayonnaise lettuce spinach "
    "broccoli bacon ham luggage furniture fog smoke steam rain sunlight sunshine shade paper wood metal "
    "hair fur frosting icing writing lettering text wind moss hay foliage shrubbery vegetation jewelry "
    "clothing equipment pepperoni chocolate syrup soup juice oil pasta seafood lightning fencing litter "
    "clutter dust oxygen soap music pavement luggage cutlery silverware"
)
COLOURS = words_of("red orange yellow green blue purple pink white black grey gray brown cream cyan")
BODY_PARTS = words_of(
    "tail horn horns tusk tusks trunk wing wings beak mane hair beard mustache moustache whiskers fur "
    "feathers antlers ears eyes legs teeth claws paws hooves spots stripes bangs freckles arms hands "
    "fingers toes"
)
SHAVEN = frozenset({"beard", "mustache", "moustache", "goatee", "facial hair", "sideburns"})
WORN = words_of(
    "hat cap helmet shirt jacket coat tie suit glasses sunglasses goggles gloves glove shoes boots "
    "sandals socks scarf necklace bracelet watch ring earrings vest uniform dress skirt shorts pants "
    "jeans belt backpack collar harness headband bandana bowtie wetsuit apron mask sweater hoodie "
    "sneakers tights wig crown veil leash saddle bridle"
)
PLACES = words_of(
    "kitchen bathroom restroom bedroom room office restaurant beach park zoo farm airport station street "
    "road city town market store shop school church house home hotel garden field forest desert stadium "
    "court parking harbor hospital library museum classroom gym garage cafe bakery hotel bar pub"
)
