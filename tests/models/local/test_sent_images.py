"""The sizes of images as a processor made them, and their tokens, against figures derived by hand for each family."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from tests.models.families import BLIP, CHAT, loaded, network, picture, processor_of, prompt
from whatif.models.local.answerer import LocalModel
from whatif.models.local.sent_images import _arranged, image_tokens, sent_images

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

# Width and height in pixels of the decoded images.
DECODED = ((56, 56), (28, 56), (40, 30), (56, 28), (100, 100))
_SQUARE = ((28, 28),) * 5
_TILED = ((56, 56), (28, 56), (56, 42), (56, 28), (56, 56))
_IDEFICS = ((56, 56), (28, 56), (56, 56), (56, 28), (56, 56))
_QWEN = ((56, 56), (28, 56), (28, 28), (56, 28), (84, 84))  # at most 84 x 84
SIZES: dict[str, Sequence[tuple[int, int]]] = {
    "llava": _SQUARE,
    "llava_next": _TILED,
    "llava_onevision": _TILED,
    "qwen2_vl": _QWEN,
    "qwen2_5_vl": _QWEN,
    "qwen3_vl": _QWEN,
    "mllama": ((28, 28), (28, 56), (56, 28), (56, 28), (28, 28)),
    "idefics3": _IDEFICS,
    "smolvlm": _IDEFICS,
    "internvl": ((56, 56), (28, 56), (84, 56), (56, 28), (56, 56)),
    "gemma3": _SQUARE,
    **dict.fromkeys(BLIP, _SQUARE),
}
# Four tokens for the whole image, 2 x 2 for a tile, and one at the end of each row of tokens.
_NEXT = (4 + 16 + 4, 4 + 8 + 4, 4 + 16 + 4, 4 + 8 + 2, 4 + 16 + 4)
TOKENS: dict[str, Sequence[int]] = {
    "llava": (4,) * 5,
    "llava_next": _NEXT,
    "llava_onevision": _NEXT,
    "qwen2_vl": (4, 2, 1, 2, 9),
    "qwen2_5_vl": (4, 2, 1, 2, 9),
    "qwen3_vl": (4, 2, 1, 2, 9),
    "mllama": (5, 10, 10, 10, 5),  # 2 x 2 patches and the class token of each tile
    "idefics3": (20, 12, 20, 12, 20),
    "smolvlm": (20, 12, 20, 12, 20),
    "internvl": (20, 12, 28, 12, 20),
    "gemma3": (4,) * 5,
    **dict.fromkeys(BLIP, (3,) * 5),
}


@pytest.fixture(scope="module", params=[*CHAT, *BLIP])
def family(request: pytest.FixtureRequest) -> tuple[str, LocalModel]:
    return request.param, loaded(request.param)


def sent(model: LocalModel, rows: Sequence[Sequence[Image.Image]]) -> tuple[Any, Any]:
    """Sizes and image tokens of one encoding of several conversations, whose texts have different lengths."""
    prompts = [prompt(images, "How many dots " + "there " * place) for place, images in enumerate(rows)]
    inputs = model.checkpoint.encode(prompts)
    processor = processor_of(model)
    configuration = network(model).config
    sizes = sent_images(configuration, processor, inputs, [[image.size for image in row] for row in rows])
    return sizes, image_tokens(configuration, inputs)


def noise(*places: int) -> list[Image.Image]:
    return [picture(place, *DECODED[place]) for place in places]


def test_one_image_of_each_size(family: tuple[str, LocalModel]) -> None:
    name, model = family
    for place in range(len(DECODED)):
        assert sent(model, [noise(place)]) == ([(SIZES[name][place],)], [TOKENS[name][place]])


def test_a_batch_gives_each_row_its_own_facts(family: tuple[str, LocalModel]) -> None:
    name, model = family
    sizes, tokens = sent(model, [noise(place) for place in (1, 0, 4, 2)])
    assert sizes == [(SIZES[name][place],) for place in (1, 0, 4, 2)]
    assert tokens == [TOKENS[name][place] for place in (1, 0, 4, 2)]


def test_several_images_in_order_and_a_batch_of_unlike_rows(family: tuple[str, LocalModel]) -> None:
    name, model = family
    if name in BLIP:
        return  # it takes one image
    rows = [(3, 0), (4, 2), (1, 3)]
    alone = name == "llava_onevision"  # it gives each of several images one tile, and a token at its end
    size = [(28, 28)] * 5 if alone else SIZES[name]
    token = [5] * 5 if alone else TOKENS[name]
    expected = (
        [tuple(size[place] for place in row) for row in rows],
        [sum(token[place] for place in row) for row in rows],
    )
    assert sent(model, [noise(*row) for row in rows]) == expected
    unlike = [(2,), (3, 0, 1)]
    sizes, tokens = sent(model, [noise(*row) for row in unlike])
    assert sizes == [(SIZES[name][2],), tuple(size[place] for place in unlike[1])]
    assert tokens == [TOKENS[name][2], sum(token[place] for place in unlike[1])]


def test_a_conversation_without_images_has_none(family: tuple[str, LocalModel]) -> None:
    name, model = family
    if name not in BLIP:
        assert sent(model, [[], []]) == ([(), ()], [0, 0])


@pytest.mark.parametrize("split", [True, False])
def test_an_image_that_is_not_cut_is_one_tile(split: bool) -> None:
    model = loaded("idefics3")
    images = processor_of(model).image_processor
    images.do_image_splitting = split
    assert sent(model, [noise(0, 1)])[0] == [(SIZES["idefics3"][0], SIZES["idefics3"][1]) if split else ((28, 28),) * 2]


def test_the_text_of_a_question_is_no_tile() -> None:
    model = loaded("idefics3")
    inputs = model.checkpoint.encode([prompt(noise(1), "<row_6_col_6> <global-img> dots")])
    processor = processor_of(model)
    configuration = network(model).config
    assert sent_images(configuration, processor, inputs, [[DECODED[1]]]) == [((28, 56),)]


def test_crops_that_gemma_adds_are_no_images_of_their_own() -> None:
    model = loaded("gemma3")
    processor = processor_of(model)
    processor.images_kwargs = {**processor.images_kwargs, "do_pan_and_scan": True, "pan_and_scan_min_crop_size": 14}
    sizes, tokens = sent(model, [noise(3), noise(0)])
    assert sizes == [((28, 28),), ((28, 28),)]
    assert tokens == [3 * 4, 4]  # the image and two crops


def test_tiles_are_arranged_as_the_library_does() -> None:
    from transformers.models.got_ocr2 import image_processing_pil_got_ocr2

    library: Any = image_processing_pil_got_ocr2
    for width in range(10, 1200, 37):
        for height in range(10, 1200, 41):
            columns, rows = library.get_optimal_tiled_canvas((height, width), (448, 448), 1, 12)
            assert _arranged(columns * rows, (width, height)) == (columns, rows)


def test_what_cannot_be_read_is_unknown() -> None:
    inputs = {"input_ids": torch.ones((1, 5)), "pixel_values": torch.zeros((2, 3, 28, 28))}
    unlisted = SimpleNamespace(model_type="unlisted")
    assert sent_images(unlisted, None, inputs, [[(28, 28), (56, 56)]]) == [((28, 28), (28, 28))]
    assert sent_images(unlisted, None, inputs, [[(28, 28)]]) == [None]
    sizes = {**inputs, "image_sizes": torch.ones((2, 2))}
    assert sent_images(unlisted, None, sizes, [[(28, 28), (56, 56)]]) == [None]
    assert sent_images(unlisted, None, {"input_ids": inputs["input_ids"]}, [[(28, 28)]]) == [None]
    assert image_tokens(unlisted, inputs) is None
