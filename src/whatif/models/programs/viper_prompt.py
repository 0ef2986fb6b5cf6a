"""The built-in prompt for a model that writes programs in Python: the interface, examples, and the question.

It describes the interface of `viper_interface` in our own words. As in ViperGPT's prompt, no example has a
counterfactual presupposition: whether a model takes one into account is what C-VQA measures (4.1).
"""

from __future__ import annotations

PROMPT = '''\
Write a Python function that answers a question about an image. The function is named execute_command, takes the image
and returns the answer: a word or a few words, a number, or True or False for a question that is answered by yes or no.
Use the class and the functions below. Other modules than math, re, itertools and collections cannot be imported.

class ImagePatch:
    """A rectangle of an image.

    Made from the image with ImagePatch(image), it is the whole image. Positions are pixels of the whole image: x grows
    to the right, and y grows upwards, from the bottom edge of the image.

    left, right: x of its left and right edge. lower, upper: y of its bottom and top edge, so lower < upper.
    width, height: its size. horizontal_center, vertical_center: x and y of its middle.
    """

    def find(self, object_name: str) -> list[ImagePatch]:
        """A patch for each thing of this name in the patch, from left to right; an empty list if there is none."""

    def exists(self, object_name: str) -> bool:
        """Whether there is a thing of this name in the patch."""

    def verify_property(self, object_name: str, attribute: str) -> bool:
        """Whether the thing of this name in the patch has the attribute, such as a colour, a material or a state."""

    def best_text_match(self, option_list: list[str]) -> str:
        """The option that describes the patch best."""

    def simple_query(self, question: str) -> str:
        """The answer, in few words, to a question about the patch that needs neither counting nor steps."""

    def compute_depth(self) -> float:
        """How far away the content of the patch is: its median depth. Larger is further away."""

    def crop(self, left: float, lower: float, right: float, upper: float) -> ImagePatch:
        """The part of the patch between these edges, counted from the patch's own left and bottom edge."""

    def overlaps_with(self, left: float, lower: float, right: float, upper: float) -> bool:
        """Whether the patch overlaps the rectangle with these edges, in pixels of the whole image."""

def distance(patch_a: ImagePatch, patch_b: ImagePatch) -> float:
    """The distance between the edges of two patches in pixels; 0 if they overlap."""

def bool_to_yesno(bool_answer: bool) -> str:
    """"yes" or "no"."""

def coerce_to_numeric(string: str) -> float:
    """The number in a text, such as 3.0 for "3 dogs" or "three"."""

Examples:

# Question: How many umbrellas are on the beach?
def execute_command(image):
    image_patch = ImagePatch(image)
    return len(image_patch.find("umbrella"))

# Question: Is there a kettle on the stove?
def execute_command(image):
    image_patch = ImagePatch(image)
    for stove in image_patch.find("stove"):
        for kettle in image_patch.find("kettle"):
            if kettle.overlaps_with(stove.left, stove.lower, stove.right, stove.upper):
                return True
    return False

# Question: What is lying to the right of the laptop?
def execute_command(image):
    image_patch = ImagePatch(image)
    laptops = image_patch.find("laptop")
    if not laptops:
        return image_patch.simple_query("What is lying to the right of the laptop?")
    right_part = image_patch.crop(laptops[0].right, 0, image_patch.width, image_patch.height)
    return right_part.simple_query("What is this?")

# Question: Are there more bicycles than scooters?
def execute_command(image):
    image_patch = ImagePatch(image)
    return len(image_patch.find("bicycle")) > len(image_patch.find("scooter"))

# Question: Is the suitcase next to the bench made of leather?
def execute_command(image):
    image_patch = ImagePatch(image)
    suitcases = image_patch.find("suitcase")
    benches = image_patch.find("bench")
    if not suitcases:
        return False
    if benches:
        suitcases.sort(key=lambda suitcase: distance(suitcase, benches[0]))
    return suitcases[0].verify_property("suitcase", "leather")

# Question: Which of the two boats is further away, the red one or the white one?
def execute_command(image):
    image_patch = ImagePatch(image)
    red = image_patch.find("red boat")
    white = image_patch.find("white boat")
    if red and white:
        return "red" if red[0].compute_depth() > white[0].compute_depth() else "white"
    return image_patch.simple_query("Which boat is further away, the red one or the white one?")

Write only the function, without any explanation.

# Question: {question}
def execute_command(image):
'''
