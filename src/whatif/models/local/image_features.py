"""Features of images, computed once for all ranked questions about the same images.

Encoding an image is a third of the work of ranking two options with the embedded LLaVA, and a benchmark asks several
questions about each image. The models of the library take features in place of pixels (`mm_encoder_outputs`).

The images of a prompt are encoded together, as the model itself does it, and are remembered together: in another batch,
their features would differ in the last digits. So a score has the same bits whether the features were remembered or
not, and it does not depend on the other questions, their order, or the memory that is left.
"""

from __future__ import annotations

import hashlib
import inspect
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from whatif.models.local.option_scores import SHARED_PREFIX, on_device

if TYPE_CHECKING:
    import torch

# Features of more images are forgotten, those of the least recent use first. An image of LLaVA-1.5 takes 4.5 MiB in
# half precision, and questions about the same images usually follow each other.
MOST_BYTES = 64 * 2**20
# Families whose scores are tested to have the same bits. A Llama 3.2 Vision (mllama) takes no features: its text
# attends to the images in several layers.
FAMILIES = SHARED_PREFIX - {"mllama"}
_PIXELS = "pixel_values"
_INSTEAD = "mm_encoder_outputs"
_REPLACED = (_PIXELS, "pixel_attention_mask")  # further inputs about images are needed for the positions of the text
_USED = ("pooler_output", "deepstack_features")  # of what an encoder returns; its hidden states would take much memory


class ImageFeatures:
    """The inputs of `model` for prompts, with the features of images that are remembered up to `most_bytes` in all.

    In families that are not in `FAMILIES`, and with versions of the library that take no features, the pixels stay
    among the inputs and nothing is remembered.
    """

    def __init__(self, model: Any, most_bytes: int = MOST_BYTES) -> None:
        self._model = model
        self._most_bytes = most_bytes
        self._needs = _encoder_inputs(model)
        self._kept: OrderedDict[bytes, Any] = OrderedDict()
        self._bytes = 0

    def inputs(self, prompt: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs for `prompt`, the processor's output for one conversation, on the model's device."""
        if _PIXELS not in prompt or _PIXELS not in self._needs:
            return on_device(self._model, prompt)
        inputs = on_device(self._model, {name: value for name, value in prompt.items() if name not in _REPLACED})
        shown = {name: prompt[name] for name in self._needs if name in prompt}
        return {**inputs, _INSTEAD: {"image": self._features(shown)}}

    def forget(self) -> None:
        """Frees the memory of all features."""
        self._kept.clear()
        self._bytes = 0

    def _features(self, shown: Mapping[str, torch.Tensor]) -> Any:
        key = _digest(shown)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        features = self._encode(shown)
        self._kept[key] = features
        self._bytes += _size(features)
        while self._bytes > self._most_bytes:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= _size(oldest)
        return features

    def _encode(self, shown: Mapping[str, torch.Tensor]) -> Any:
        import torch

        with torch.inference_mode():
            made = self._model.model.get_image_features(**on_device(self._model, shown), return_dict=True)
        used = {name: getattr(made, name, None) for name in _USED}
        return type(made)(**{name: value for name, value in used.items() if value is not None})


def _encoder_inputs(model: Any) -> tuple[str, ...]:
    """The names of the inputs that a model makes features of; empty if it cannot be given features."""
    if model.config.model_type not in FAMILIES or _INSTEAD not in inspect.signature(model.forward).parameters:
        return ()
    return tuple(inspect.signature(model.model.get_image_features).parameters)


def _digest(tensors: Mapping[str, torch.Tensor]) -> bytes:
    import torch

    made = hashlib.sha256()
    for name, value in sorted(tensors.items()):
        made.update(f"{name} {value.dtype} {tuple(value.shape)} ".encode())
        made.update(value.cpu().contiguous().view(torch.uint8).numpy().data)
    return made.digest()


def _size(features: Any) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in _tensors(list(features.values())))


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part)
    else:
        yield value
