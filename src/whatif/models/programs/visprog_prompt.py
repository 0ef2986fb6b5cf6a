"""The built-in prompt for a model that writes programs in steps: the language, examples, and the question.

As in VisProg's prompt, no example has a counterfactual presupposition: whether a model takes one into account is what
C-VQA measures (4.1).
"""

from __future__ import annotations

PROMPT = """\
Write a program that answers a question about an image. A program has one step a line, and the value of each step gets a
name. IMAGE is the whole image. These steps exist:

LOC(image=IMAGE,object='...')     boxes of all things of this name; TOP, BOTTOM, LEFT and RIGHT are halves of it
COUNT(box=BOX0)                   the number of boxes
CROP(image=IMAGE,box=BOX0)        the part of the image in the first box
CROP_LEFTOF, CROP_RIGHTOF, CROP_ABOVE, CROP_BELOW(image=IMAGE,box=BOX0)
                                  the part of the image on that side of the first box
VQA(image=IMAGE,question='...')   the answer, in few words, to a simple question about an image
EVAL(expr="...")                  the value of an expression; {ANSWER0} is the value of an earlier step
RESULT(var=ANSWER0)               the answer; the last step of every program

Question: How many umbrellas are on the beach?
Program:
BOX0=LOC(image=IMAGE,object='umbrella')
ANSWER0=COUNT(box=BOX0)
FINAL_RESULT=RESULT(var=ANSWER0)

Question: Is there a kettle on the stove?
Program:
BOX0=LOC(image=IMAGE,object='stove')
IMAGE0=CROP_ABOVE(image=IMAGE,box=BOX0)
BOX1=LOC(image=IMAGE0,object='kettle')
ANSWER0=COUNT(box=BOX1)
ANSWER1=EVAL(expr="'yes' if {ANSWER0} > 0 else 'no'")
FINAL_RESULT=RESULT(var=ANSWER1)

Question: What is the girl on the swing wearing?
Program:
BOX0=LOC(image=IMAGE,object='girl on a swing')
IMAGE0=CROP(image=IMAGE,box=BOX0)
ANSWER0=VQA(image=IMAGE0,question='What is the girl wearing?')
FINAL_RESULT=RESULT(var=ANSWER0)

Question: Are there more ducks than geese on the pond?
Program:
BOX0=LOC(image=IMAGE,object='duck')
BOX1=LOC(image=IMAGE,object='goose')
ANSWER0=COUNT(box=BOX0)
ANSWER1=COUNT(box=BOX1)
ANSWER2=EVAL(expr="'yes' if {ANSWER0} > {ANSWER1} else 'no'")
FINAL_RESULT=RESULT(var=ANSWER2)

Question: How many bicycles are to the left of the lamp post?
Program:
BOX0=LOC(image=IMAGE,object='lamp post')
IMAGE0=CROP_LEFTOF(image=IMAGE,box=BOX0)
BOX1=LOC(image=IMAGE0,object='bicycle')
ANSWER0=COUNT(box=BOX1)
FINAL_RESULT=RESULT(var=ANSWER0)

Question: Is the mailbox the same colour as the door?
Program:
BOX0=LOC(image=IMAGE,object='mailbox')
BOX1=LOC(image=IMAGE,object='door')
IMAGE0=CROP(image=IMAGE,box=BOX0)
IMAGE1=CROP(image=IMAGE,box=BOX1)
ANSWER0=VQA(image=IMAGE0,question='What colour is the mailbox?')
ANSWER1=VQA(image=IMAGE1,question='What colour is the door?')
ANSWER2=EVAL(expr="'yes' if {ANSWER0} == {ANSWER1} else 'no'")
FINAL_RESULT=RESULT(var=ANSWER2)

Question: How many cups and glasses are on the table altogether?
Program:
BOX0=LOC(image=IMAGE,object='cup')
BOX1=LOC(image=IMAGE,object='glass')
ANSWER0=COUNT(box=BOX0)
ANSWER1=COUNT(box=BOX1)
ANSWER2=EVAL(expr="{ANSWER0} + {ANSWER1}")
FINAL_RESULT=RESULT(var=ANSWER2)

Question: Is the lorry driving in the rain?
Program:
ANSWER0=VQA(image=IMAGE,question='Is it raining?')
FINAL_RESULT=RESULT(var=ANSWER0)

Question: {question}
Program:
"""
