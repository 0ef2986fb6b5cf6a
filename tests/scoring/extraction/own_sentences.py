"""Sentences in which a response may answer, by group, with what a careful reader takes as their answer.

The words in braces are filled in by `own_responses.py`:

- choices: `{L}` is the letter of the option that is said and `{T}` its text, `{K}` and `{U}` those of another one;
  `{t}` and `{u}` are the texts inside a sentence; `{rest}` are the letters or names of all options that are not said;
- images: `{N}` is the option that is said (`Image C`), `{M}` another one;
- numbers: `{n}` is said (`{w}` in words), `{m}` is another number, `{d}` their difference, `{things}` what the question
  counts; `{If}` and `{if}` are its supposition, where it has one;
- yes or no: `{yes}`, `{Yes}`, `{true}`, `{True}` are said, `{no}`, `{No}` and `{false}` are the contrary; `{there}` is
  the question `Is there ...?` as a statement.

A sentence of the group `NO_ANSWER` gives none: it may be `none` or `ambiguous`.
"""

from __future__ import annotations

from typing import TypeAlias

Sentences: TypeAlias = dict[str, tuple[str, ...]]
NO_ANSWER = "no answer"

REFUSALS = (
    "It cannot be determined.",
    "This cannot be determined from what is shown.",
    "I'm sorry, but I can't help with that.",
    "I cannot see any picture, so I cannot answer.",
    "There is not enough information to tell.",
    "The question is incomplete.",
    "No solution.",
    "Without the picture from 2019, nobody can know.",
    "{question}",
    "",
)

LETTERS: Sentences = {
    "short": (
        "{L}",
        "{L}.",
        "({L})",
        "{l}) {T}",
        "{L}: {T}",
        "Answer: {L}",
        "The answer is {L}.",
        "The correct option is ({L}) {T}.",
        "My answer is option {L}.",
    ),
    "layout": (
        "**{L}**",
        "**Answer:** {L}",
        "\\boxed{{{L}}}",
        "$\\mathbf{{({L})}}$",
        '{{"answer": "{L}"}}',
        '```json\n{{"reasoning": "The picture shows it.", "answer": "{L}"}}\n```',
        "<answer>{L}</answer>",
        "### Answer\n{L}",
    ),
    "sentence": (
        "I would choose option {L}, since it fits best.",
        "The picture is clear, so option {L} is the correct one.",
        "Looking at the image again, I come to the conclusion that {L} is correct.",
        "In the first image there is little to see, so {L}.",
        "The sign is from 2019, and 7 people stand before it. The answer is {L}.",
    ),
    "restated": (
        "{question}\n{options}\nAnswer: {L}",
        "The question is: {question} The options are {options}. The answer is {L}.",
        "{options}\n\nThe correct answer is {L}.",
    ),
    "comparison": (
        "{L} is right. {K} is wrong.",
        "{K} is wrong. {L} is right.",
        "Between {K} and {L}, it is {L}.",
        "Not {K} but {L}.",
        "The answer is {L}, not {K}.",
        "Compared with option {K}, option {L} is the correct answer.",
    ),
    "elimination": (
        "Options that can be excluded: {rest}. The answer is {L}.",
        "It is none of {rest}, which leaves {L}.",
        "{others} So {L} is correct.",
    ),
    "correction": (
        "{K}. Wait, that is a mistake. The answer is {L}.",
        "I first thought of {K}, but the answer is {L}.",
        "Answer: {K}\n\nCorrection: the answer is {L}.",
    ),
    "supposition": (
        "If there were 9 more things, the answer would be {K}. As it is, the answer is {L}.",
        "Had the question been about 1998, {K} would be right. Here the answer is {L}.",
    ),
    NO_ANSWER: (
        *REFUSALS,
        "None of the options is correct.",
        "It is either {K} or {L}.",
        "Both {K} and {L} are possible, and nothing decides between them.",
        "I do not know whether {K} or {L} is correct.",
        "{options}",
    ),
}

TEXTS: Sentences = {
    "short": ("{T}", "{T}.", "Answer: {T}", "The answer is {t}.", 'The correct answer is "{T}".', "My answer: {T}"),
    "layout": (
        "**{T}**",
        "The answer is **{T}**.",
        "\\boxed{{\\text{{{T}}}}}",
        '{{"answer": "{T}"}}',
        "<answer>{T}</answer>",
        "### Answer\n{T}",
    ),
    "sentence": (
        "The option that fits is: {T}.",
        'The picture is clear, so the correct option is "{T}".',
        "In the first image there is little to see, so the answer is {t}.",
        "I would go with {t}.",
    ),
    "restated": ("{question}\n{T}", "{question} The answer is {t}.", "Question: {question}\nAnswer: {T}"),
    "comparison": (
        '"{T}" is right. "{U}" is wrong.',
        '"{U}" is wrong. "{T}" is right.',
        "Between {u} and {t}, the answer is {t}.",
        "Not {u} but {t}.",
        "The answer is {t}, not {u}.",
        'The option "{T}" fits. The option "{U}" does not.',
    ),
    "elimination": ("{otherstexts} So the answer is {t}.",),
    "correction": (
        '"{U}". Wait, that is a mistake. The answer is "{T}".',
        "I first thought of {u}, but the answer is {t}.",
    ),
    "supposition": ("In another picture, the answer would be {u}. Here the answer is {t}.",),
    NO_ANSWER: (*REFUSALS, 'It is either "{U}" or "{T}".', 'I do not know whether "{U}" or "{T}" is correct.'),
}

IMAGES: Sentences = {
    "short": ("{N}", "{N}.", "{L}", "({L})", "Answer: {N}", "The answer is {N}.", "It is {N}.", "Panel {L}."),
    "layout": (
        "**{N}**",
        "\\boxed{{\\text{{{N}}}}}",
        '{{"answer": "{N}"}}',
        "<answer>{L}</answer>",
        "The answer is **{L}**.",
    ),
    "sentence": (
        "The image that shows the effect is {N}.",
        "Based on the cause shown in the first image, the corresponding effect is {N}.",
        "In the first image, a cloud hangs over the tree, so {N}.",
        "The first image shows the cause, and {N} shows its effect.",
        "The effect of this cause is shown in {N}.",
        "{N} shows the effect.",
        "Of the four images, {N} follows from the cause.",
        "Since the thing in the first image would get wet, the effect must be {N}.",
        "I would choose {N}, because the second thing from the left is covered with snow in it.",
    ),
    "restated": ("{question}\n{N}", "{question}\nThe answer is {N}."),
    "comparison": (
        "{N} shows the effect. {M} shows something else.",
        "{M} shows something else. {N} shows the effect.",
        "{N} is right. {M} is wrong.",
        "Between {M} and {N}, it is {N}.",
        "Not {M} but {N}.",
        "Unlike {M}, {N} shows what follows from the cause.",
        "{N} shows the effect, because nothing has changed in {M}.",
        "{M} looks similar, but the correct one is {N}.",
    ),
    "elimination": ("{rest} show other events, so the effect is {N}.", "{rest} can be excluded. That leaves {N}."),
    "correction": (
        "{M}. Wait, that is a mistake. The answer is {N}.",
        "I first thought of {M}, but the answer is {N}.",
    ),
    "supposition": ("If the cause were a fan, the effect would be {M}. As it is, the effect is {N}.",),
    NO_ANSWER: (
        *REFUSALS,
        "It is either {M} or {N}.",
        "None of the images shows the effect.",
        "{N} and {M} could both be the effect.",
        "The image shows a cause and four effects.",
    ),
}

CHINESE_IMAGES: Sentences = {
    "other languages": ("{N}", "{N}。", "答案是{N}。", "答案：{L}", "不是{M}，而是{N}。", "应选{N}，不选{M}。"),
    NO_ANSWER: ("无法确定。", "可能是{M}，也可能是{N}。"),
}

NUMBERS: Sentences = {
    "short": (
        "{n}",
        "{n}.",
        "{w}",
        "Answer: {n}",
        "The answer is {w}.",
        "There would be {n}.",
        "{n} {things}",
        "Exactly {n}.",
    ),
    "layout": (
        "**{n}**",
        "\\boxed{{{n}}}",
        "The answer is $\\boxed{{{n}}}$.",
        "\\[ \\boxed{{{n}}} \\]",
        '{{"answer": {n}}}',
        "<answer>{n}</answer>",
        "### Answer\n{n}",
    ),
    "sentence": (
        "I count {n} {things}.",
        "There would be {n} {things} in the picture.",
        "The number of {things} would be {w}.",
        "The photo is from 2019. There are {n} {things} in it.",
        "As of 2021, the answer is {n}.",
    ),
    "own numbers": (
        "{If}, there would be {n} {things}.",
        "There would be {n} {things} {if}.",
        "{m} {things} are shown. {If}, there would be {n}.",
        "There are {m} {things} now. {If}, the answer would be {n}.",
        "{If}, there would be {n} {things} instead of {m}.",
        "{If}, the number would change from {m} to {n}.",
    ),
    "restated": ("{question} {n}", "{question}\nAnswer: {n}", "You ask: {question} My answer is {n}."),
    "calculation": (
        "{m} + {d} = {n}",
        "{m} + {d} = {n}, so the answer is {n}.",
        "$ {m} + {d} = {n} $. The answer is {n}.",
    ),
    "comparison": ("Not {m} but {n}.", "{n}, not {m}.", "There are not less than {m}; there are exactly {n}."),
    "correction": (
        "{m}. Wait, that is a mistake. The answer is {n}.",
        "I first counted {m} {things}, but there are {n}.",
    ),
    "supposition": ("If I could see the back, I would say {m}. As it is, the answer is {n}.",),
    NO_ANSWER: (
        *REFUSALS,
        "There is no way to know how many {things} there would be.",
        "It is either {m} or {n}.",
        "The number of {things} is unknown.",
        "It depends on how many {things} were there before.",
    ),
}

BOOLEANS: Sentences = {
    "short": (
        "{yes}",
        "{Yes}.",
        "Answer: {Yes}",
        "The answer is {yes}.",
        "I would say {yes}.",
        "{Yes}, as the picture shows.",
    ),
    "layout": (
        "**{Yes}**",
        "**Answer:** {Yes}",
        "\\boxed{{\\text{{{Yes}}}}}",
        '{{"answer": "{yes}"}}',
        '{{"answer": {true}}}',
        "<answer>{yes}</answer>",
        "### Answer\n{Yes}",
    ),
    "true or false": (
        "{True}",
        "{True}.",
        "The answer is {true}.",
        "The statement is {true}.",
        "That is {true}.",
        'The statement "{there}" is {True}.',
    ),
    "sentence": (
        "The picture is clear, so the answer is {yes}.",
        "In the first image there are 3 things, so the answer is {yes}.",
        "{Yes}. In 2019, 4 people asked the same.",
    ),
    "restated": ("{question} {Yes}.", "{question}\n{Yes}", "Question: {question}\nAnswer: {Yes}"),
    "comparison": ("Not {no} but {yes}.", "The answer is {yes}, not {no}.", "Between {no} and {yes}, it is {yes}."),
    "correction": (
        "{No}. Wait, that is a mistake. The answer is {yes}.",
        "I first thought {no}, but the answer is {yes}.",
    ),
    "supposition": ("In another picture, the answer would be {no}. Here the answer is {yes}.",),
    NO_ANSWER: (
        *REFUSALS,
        "Yes and no.",
        "Neither yes nor no.",
        "No answer can be given.",
        "No information about this is given.",
        "There is no picture.",
        "It depends.",
        "It is not possible to say yes or no.",
    ),
}

# Open text: a response is compared with the right answer, so only that matters.
OPEN: Sentences = {
    "short": ("{T}", "{T}.", "The {T}", "Answer: {T}"),
    "layout": ("**{T}**", "\\boxed{{\\text{{{T}}}}}", '{{"answer": "{T}"}}', "<answer>{T}</answer>"),
    "sentence": ("It is {T}.", "The answer is {T}.", "In the picture, it is {T}."),
    NO_ANSWER: REFUSALS,
}
