"""Edits of counterfactual questions: corrections of the grammar, and edits that change more, with the reason."""

from __future__ import annotations

GOOD = [  # before, after
    (
        "How many dogs would be iting the frisbee if 2 dogs left?",
        "How many dogs would be biting the frisbee if 2 dogs left?",
    ),
    (
        "How many umbrellas do you see if all people left with their thiings?",
        "How many umbrellas would you see if all people left with their things?",
    ),
    (
        "How many dishes would be in the icture if the table were cleared?",
        "How many dishes would be in the picture if the table were cleared?",
    ),
    ("How many sinks if it was a bedfroom?", "How many sinks would there be if it was a bedroom?"),
    ("How many cups would be would be on the table if 2 left?", "How many cups would be on the table if 2 left?"),
    (
        "How many zebras is in the picture if two zebras disappeared?",
        "How many zebras would be in the picture if two zebras disappeared?",
    ),
    ("How many cats is there if one cat leaved?", "How many cats would there be if one cat left?"),
    ("How many bird would there be if 2 birds flies away?", "How many birds would there be if 2 birds flew away?"),
    ("How many towels can you see if the door was closed?", "How many towels could you see if the door were closed?"),
    ("Would the man be happy if a women came?", "Would the man be happy if a woman came?"),
    ("How many persons would there be if 2 man left?", "How many people would there be if 2 men left?"),
    ("Would there be graffiti if the graffiti was removed", "Would there be graffiti if the graffiti was removed?"),
    ("would the light be on if someone pressed the switch?", "Would the light be on if someone pressed the switch?"),
    ("Would this girl speak english if she lived in london?", "Would this girl speak English if she lived in London?"),
    (
        "How many cars would there be if there was 3 more car?",
        "How many cars would there be if there were 3 more cars?",
    ),
    (
        "If people in blue left how many players would be on the field?",
        "If people in blue left, how many players would be on the field?",
    ),
    (
        "How many chairs would there be if one less chair was shown?",
        "How many chairs would there be if one fewer chair was shown?",
    ),
    (
        "How many plates would there be if 1 plate was disappeared?",
        "How many plates would there be if one plate disappeared?",
    ),
    (
        "Would there be a lady bug on the leaf if the toy was added?",
        "Would there be a ladybug on the leaf if the toy was added?",
    ),
    (
        "How many tshirts would there be if 2 t-shirts were took away?",
        "How many tshirts would there be if 2 t-shirts were taken away?",
    ),
    ("Would the lamp be off if he had turn it on?", "Would the lamp be off if he had turned it on?"),
    (
        "How many pizzas would there be if the boy eated one pizza?",
        "How many pizzas would there be if the boy ate one pizza?",
    ),
    (
        "How many giraffe would be eating if another giraffe come?",
        "How many giraffes would be eating if another giraffe came?",
    ),
    ("Would the computers on if they had run down?", "Would the computers be on if they had run down?"),
    ("Would the sky be cloudy if it was rain?", "Would the sky be cloudy if it was raining?"),
    (
        "How many people would be on the bench if half people left?",
        "How many people would be on the bench if half of the people left?",
    ),
    (
        "How  many forks would you see if 4 more forks were added ?",
        "How many forks would you see if 4 more forks were added?",
    ),
    (
        "How many flowers would there be if all red flowers wilt?",
        "How many flowers would there be if all the red flowers wilted?",
    ),
    (
        "Would the cat be laying on the bed if it was moved away?",
        "Would the cat be lying on the bed if it were moved away?",
    ),
    ("Would the dog has a collar if it lost its tag?", "Would the dog have a collar if it lost its tag?"),
    ("How many horse would be in field if 2 of them ran?", "How many horses would be in the field if 2 of them ran?"),
    (
        "Would he be cold if he took his jacket of and wore no jaket?",
        "Would he be cold if he took his jacket of and wore no jacket?",
    ),
    (
        "How many kites would be on the picture if it was raining?",
        "How many kites would be in the picture if it was raining?",
    ),
    (
        "How many boats would there be if there had been no no water?",
        "How many boats would there be if there had been no water?",
    ),
    ("Would the childs be playing if the ball was gone?", "Would the children be playing if the ball was gone?"),
    ("Would the mans tie be red if he changed it?", "Would the man's tie be red if he changed it?"),
    ("How many busses would there be if 3 more busses came?", "How many buses would there be if 3 more buses came?"),
    (
        "How many vegtables would be left if the carrots was eaten?",
        "How many vegetables would be left if the carrots were eaten?",
    ),
    (
        "Would it be possible to see the mountian if there was fog?",
        "Would it be possible to see the mountain if there were fog?",
    ),
    (
        "How many wheels would be visible if two more bike is shown?",
        "How many wheels would be visible if two more bikes were shown?",
    ),
    ("Would the baby cry if it's toy was taken?", "Would the baby cry if its toy was taken?"),
    (
        "How many lines would be visible on the ground this was a desert?",
        "How many lines would be visible on the ground if this was a desert?",
    ),
]

_BUSES = "How many buses would there be if the buses drove away?"
_CATS = "How many cats would there be on the sofa if 2 cats left?"
_HAT = "Would the tall man be wearing a red hat if he lost the bet?"
_BIRDS = "How many birds would remain if all red birds flew away?"
_LAMP = "Would the lamp on the left be on if Anna had not pressed the switch?"
_CARS = "How many cars would be parked behind the bus if half of them drove away?"

BAD = [  # before, after, reason
    (_BUSES, "How many buses would there be if the yellow one drove away?", "words changed"),
    (_BUSES, "How many buses would there be if it drove away?", "words changed"),
    (_BUSES, "How many buses would there be if the bus drove away?", "amounts changed"),
    (_BUSES, "How many buses would there be if a bus drove away?", "amounts changed"),
    (
        "How many zebras would there be if a lion came?",
        "How many zebras would there be if lions came?",
        "amounts changed",
    ),
    ("How many zebras would stay if lions came?", "How many zebras would stay if a lion came?", "amounts changed"),
    (
        "How many cats would there be if the cat left?",
        "How many cats would there be if the cats left?",
        "amounts changed",
    ),
    ("Would the cats be fed if his big dog came?", "Would the cats be fed if his big dogs came?", "amounts changed"),
    (_CATS, "How many cats would there be on the sofa if 3 cats left?", "numbers changed"),
    (_CATS, "How many cats would there be on the sofa if three cats left?", "numbers changed"),
    (_CATS, "How many cats would there be on the sofa if cats left?", "numbers changed"),
    (_CATS, "How many of the 4 cats would there be on the sofa if 2 cats left?", "numbers changed"),
    (_CATS, "How many cats would there be on the sofa if two cats and one other left?", "numbers changed"),
    (_CATS, "How many dogs would there be on the sofa if 2 cats left?", "words changed"),
    (_CATS, "How many dogs would there be on the sofa if 2 dogs left?", "words changed"),
    (_CATS, "How many bats would there be on the sofa if 2 bats left?", "words changed"),
    (_CATS, "How many cats would there be on the chair if 2 cats left?", "words changed"),
    (_CATS, "How many cats would there be if 2 cats left?", "place or direction changed"),
    (_CATS, "How many cats would there be in the sofa if 2 cats left?", "place or direction changed"),
    (_CATS, "How many cats would there be under the sofa if 2 cats left?", "place or direction changed"),
    (_CATS, "How many cats would there be on the sofa if 2 cats slept?", "words changed"),
    (_CATS, "How many cats would there be on the sofa if 2 cats came?", "words changed"),
    (_CATS, "How many black cats would there be on the sofa if 2 cats left?", "words changed"),
    (_CATS, "How many cats would there be on the sofa if 2 more cats left?", "amounts changed"),
    (_CATS, "How many cats would there be on the sofa if only 2 cats left?", "amounts changed"),
    (_CATS, "How many cats would there be on the sofa if 2 cats had not left?", "negation changed"),
    (_CATS, "How many cats would there be on the sofa unless 2 cats left?", "negation changed"),
    (_CATS, "How many cats would there be on the sofa when 2 cats left?", "if clause lost"),
    (_CATS, "How many cats are there on the sofa now that 2 cats left?", "if clause lost"),
    (_CATS, "How many cats would there be on the sofa if 2 cats left? The answer is 1.", "no single question"),
    (_CATS, "How many cats would there be on the sofa if 2 cats left? Why?", "no single question"),
    (_CATS, "If 2 cats left, there would be how many cats on the sofa.", "no single question"),
    (_CATS, "2 cats left. How many cats would there be on the sofa if so?", "no single question"),
    (_CATS, "Would there be cats on the sofa if 2 cats left?", "form changed"),
    (_CATS, "What would be on the sofa if 2 cats left?", "form changed"),
    (
        _CATS,
        "Considering the image, how many cats would there be on the sofa if exactly 2 of the cats left it soon?",
        "length changed",
    ),
    (_CATS, "How many cats if 2 left?", "length changed"),
    (_CATS, "If 2 cats left, how many cats would there be on the sofa if 2 cats left?", "if clause lost"),
    (_HAT, "Would the tall woman be wearing a red hat if he lost the bet?", "words changed"),
    (_HAT, "Would the tall man be wearing a red hat if she lost the bet?", "people changed"),
    (_HAT, "Would the tall man be wearing a blue hat if he lost the bet?", "words changed"),
    (_HAT, "Would the tall man be wearing a hat if he lost the bet?", "words changed"),
    (_HAT, "Would the taller man be wearing a red hat if he lost the bet?", "words changed"),
    (_HAT, "Would the short man be wearing a red hat if he lost the bet?", "words changed"),
    (_HAT, "Would the tall man be wearing a red hat if he won the bet?", "words changed"),
    (_HAT, "Would the tall man not be wearing a red hat if he lost the bet?", "negation changed"),
    (_HAT, "Wouldn't the tall man be wearing a red hat if he lost the bet?", "negation changed"),
    (_HAT, "Would the tall man be wearing no red hat if he lost the bet?", "numbers changed"),
    (_HAT, "Would all tall men be wearing a red hat if he lost the bet?", "amounts changed"),
    (_HAT, "Would the tall man be wearing the red cap if he lost the bet?", "words changed"),
    (_HAT, "Would the tall man Bob be wearing a red hat if he lost the bet?", "names changed"),
    (_HAT, "What would the tall man be wearing if he lost the bet?", "form changed"),
    (_HAT, "Who would be wearing a red hat if the tall man lost the bet?", "form changed"),
    (_HAT, "Would the red man be wearing a tall hat if he lost the bet?", "words changed"),
    (_HAT, "Should the tall man be wearing a red hat if he lost the bet?", "amounts changed"),
    (_HAT, "Would you be wearing a red hat if the tall man lost the bet?", "people changed"),
    (_HAT, "Yes, the tall man would be wearing a red hat if he lost the bet.", "no single question"),
    (_BIRDS, "How many birds would remain if some red birds flew away?", "amounts changed"),
    (_BIRDS, "How many birds would remain if all birds flew away?", "words changed"),
    (_BIRDS, "How many birds would remain if all red birds flew?", "place or direction changed"),
    (_BIRDS, "How many red birds would remain if all birds flew away?", "words changed"),
    (_BIRDS, "How many birds would remain if no red birds flew away?", "numbers changed"),
    (_BIRDS, "How many birds would remain if both red birds flew away?", "amounts changed"),
    (_LAMP, "Would the lamp on the right be on if Anna had not pressed the switch?", "place or direction changed"),
    (_LAMP, "Would the lamp on the left be off if Anna had not pressed the switch?", "place or direction changed"),
    (_LAMP, "Would the lamp on the left be on if Anna had pressed the switch?", "negation changed"),
    (_LAMP, "Would the lamp on the left be on if Hanna had not pressed the switch?", "names changed"),
    (_LAMP, "Would the lamp on the left be on if she had not pressed the switch?", "people changed"),
    (_CARS, "How many cars would be parked behind the bus if twice of them drove away?", "amounts changed"),
    (_CARS, "How many cars would be parked before the bus if half of them drove away?", "place or direction changed"),
    (_CARS, "How many trucks would be parked behind the bus if half of them drove away?", "words changed"),
    (_CARS, "How many cars would be parked behind the bus if they drove away?", "amounts changed"),
    (
        "How many cats would see the dog if the dog chased the cat?",
        "How many cats would see the dog if the cat chased the dog?",
        "words changed",
    ),
    (
        "Combien de chats y aurait-il si 2 chats partaient?",
        "How many cats would there be if 2 cats left?",
        "form changed",
    ),
    (
        "How many cats would there be if 2 cats left?",
        "Combien de chats y aurait-il si 2 chats partaient?",
        "form changed",
    ),
]
