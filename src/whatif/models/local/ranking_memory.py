"""What questions share: their prepared images, the features of these, and the predictions after prompts without images.

A benchmark asks several questions about each image, and encoding it is a third of the work of ranking the options with
the embedded LLaVA. The models of the library take features in place of pixels (`mm_encoder_outputs`). Unconditional
likelihoods are asked for with the same text again and again: the questions of a template differ in their images and
options, and after an empty message all options follow the same prompt. If each option is one token, the prediction at
the end of the prompt is all that is needed.

What is remembered is what the model computed from exactly these inputs. The images of a prompt are encoded together, as
the model itself does it, and are remembered together: in another batch, their features would differ in the last digits.
So a score has the same bits whether something was remembered or not, and it does not depend on the other questions,
their order, or the memory that is left.
"""

from __future__ import annotations

import hashlib
import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from whatif.models.local.option_scores import SHARED_PREFIX, on_device

if TYPE_CHECKING:
    import torch

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """The values of the most recent keys: arrays, or sequences and mappings of them, of `most_bytes` together."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[bytes, Value] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: bytes, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed if it is not remembered. The caller must not change it."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        value = self._kept[key] = compute()
        self._bytes += _size(value)
        while self._bytes > self._most_bytes:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= _size(oldest)
        return value

    def forget(self) -> None:
        """Frees the memory."""
        self._kept.clear()
        self._bytes = 0


Inputs = Mapping[str, Any]

# Per kind. An image of LLaVA-1.5 takes 4.5 MiB in half precision, and questions about it usually follow each other. The
# prediction after a prompt takes 0.6 MiB for 152,000 tokens.
MOST_BYTES = 64 * 2**20
# Families whose scores are tested to have the same bits. A Llama 3.2 Vision (mllama) takes no features: its text
# attends to the images in several layers.
TAKE_FEATURES = SHARED_PREFIX - {"mllama"}
_PIXELS = "pixel_values"
_INSTEAD = "mm_encoder_outputs"
_REPLACED = (_PIXELS, "pixel_attention_mask")  # further inputs about images are needed for the positions of the text
_USED = ("pooler_output", "deepstack_features")  # of what an encoder returns; its hidden states would take much memory


class RankingMemory:
    """What was computed for earlier ranked questions of a run of `model`, up to `most_bytes` of each kind.

    In families that are not in `TAKE_FEATURES`, and with versions of the library that take no features, the pixels
    stay among the inputs and no features are remembered.
    """

    def __init__(self, model: Any, most_bytes: int = MOST_BYTES) -> None:
        self._model = model
        self._encoder_inputs = _encoder_inputs(model)
        self.features: Recent[Any] = Recent(most_bytes)
        self.ends: Recent[torch.Tensor] = Recent(most_bytes)
        self.pictures: Recent[Any] = Recent(most_bytes)

    def remember_pictures(self, processor: Any) -> None:
        """Makes an image processor of the library prepare the same images, with the same settings, only once.

        Images are of Pillow, in RGB. What it returns shares its arrays with what it returned before.
        """
        kind = type(processor)

        def remembered(own: Any, images: Any, *more: Any, **settings: Any) -> Any:
            key = _digest_of_images(images, (more, sorted(settings.items())))
            return copy(self.pictures.get(key, lambda: kind.preprocess(own, images, *more, **settings)))

        # A class, not an attribute of the processor, which the library would write among its settings.
        processor.__class__ = type(kind.__name__, (kind,), {"preprocess": remembered})

    def inputs(self, prompt: Inputs) -> dict[str, Any]:
        """The model's inputs for `prompt`, the processor's output for one conversation, on the model's device."""
        if _PIXELS not in prompt or _PIXELS not in self._encoder_inputs:
            return on_device(self._model, prompt)
        inputs = on_device(self._model, {name: value for name, value in prompt.items() if name not in _REPLACED})
        shown = {name: prompt[name] for name in self._encoder_inputs if name in prompt}
        return {**inputs, _INSTEAD: {"image": self.features.get(digest(shown), lambda: self._encode(shown))}}

    def end(self, prompt: Inputs, compute: Callable[[], torch.Tensor]) -> torch.Tensor:
        """The logits (words) at the end of a prompt; `compute` is called if they are not remembered.

        Only those of prompts without images are remembered. Others hardly occur twice.
        """
        return compute() if _PIXELS in prompt else self.ends.get(digest(prompt), lambda: compute().clone())

    def forget(self) -> None:
        """Frees the memory."""
        self.features.forget()
        self.pictures.forget()
        self.ends.forget()

    def _encode(self, shown: Inputs) -> Any:
        import torch

        with torch.inference_mode():
            made = self._model.model.get_image_features(**on_device(self._model, shown), return_dict=True)
        used = {name: getattr(made, name, None) for name in _USED}
        return type(made)(**{name: value for name, value in used.items() if value is not None})


def _encoder_inputs(model: Any) -> tuple[str, ...]:
    """The names of the inputs that a model makes features of; empty if it cannot be given features."""
    if model.config.model_type not in TAKE_FEATURES or _INSTEAD not in inspect.signature(model.forward).parameters:
        return ()
    return tuple(inspect.signature(model.model.get_image_features).parameters)


def digest(tensors: Mapping[str, torch.Tensor]) -> bytes:
    """A digest of the names, types, shapes and values of tensors."""
    import torch

    made = hashlib.sha256()
    for name, value in sorted(tensors.items()):
        made.update(f"{name} {value.dtype} {tuple(value.shape)} ".encode())
        made.update(value.cpu().contiguous().view(torch.uint8).numpy().data)
    return made.digest()


def _digest_of_images(images: Any, settings: Any) -> bytes:
    """A digest of images of Pillow, which may be in lists, and of settings."""
    made = hashlib.sha256(repr(settings).encode())

    def add(given: Any) -> None:
        if isinstance(given, (list, tuple)):
            made.update(f"{len(given)} of ".encode())
            for one in given:
                add(one)
        else:
            made.update(f"{given.mode} {given.size} ".encode())
            made.update(given.tobytes())

    add(images)
    return made.digest()


def _size(value: Any) -> int:
    return sum(getattr(one, "nbytes", 0) for one in _leaves(value))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _leaves(part)
    else:
        yield value
