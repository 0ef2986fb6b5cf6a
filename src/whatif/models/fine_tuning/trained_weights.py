"""Which weights of a checkpoint are trained, and in which precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Literal

from whatif.engine.errors import WhatifError
from whatif.engine.extras import how_to_install
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.engine.params.fine_tuning import FineTuning, LowRank
from whatif.engine.random_streams import stream
from whatif.models.local.lora import new_lora
from whatif.models.local.option_scores import forget_positions


def check_trainable(key: str, settings: HuggingFaceChat, recipe: FineTuning) -> None:
    """Raises WhatifError when the entry `key` of `models` loads weights that cannot be trained, or peft is missing."""
    if settings.quantization is not None:
        raise WhatifError(
            f"models.{key}.quantization: {settings.quantization} weights cannot be trained; add an entry without it"
        )
    if settings.device_map is not None:
        raise WhatifError(
            f"models.{key}.device_map: weights on several devices cannot be trained; give `device` instead"
        )
    if settings.lora is not None:
        raise WhatifError(
            f"models.{key}.lora: a checkpoint with a LoRA is not trained further; add an entry with it merged"
        )
    if recipe.lora is not None and find_spec("peft") is None:
        raise WhatifError(f"fine-tuning of {key}: {how_to_install('peft')}")


@contextmanager
def in_training(key: str, network: Any, recipe: FineTuning, seed: int) -> Iterator[list[Any]]:
    """Prepares a network for training, and yields the trained weights; afterwards it is ready to answer again.

    The trained weights are float32 in between: an update is much smaller than what half precision can tell apart. The
    network stays in evaluation mode apart from the trained modules; and the statistics of batch normalisation are never
    updated, because those of a few examples are not those of the training data. A LoRA begins as `seed` says, and stays
    in the network, in float32; the other weights are then those of before.

    Raises WhatifError, naming the entry `key`, when the checkpoint has no language model of its own, and when it has no
    layers for the LoRA.
    """
    import torch

    precision = network.dtype
    if recipe.lora is None or precision == torch.float16:  # whose gradients are often too small for it
        network.float()
    network.requires_grad_(False)
    fixed: list[Any] = []
    try:
        modules = _modules(key, network, recipe.trains)
        if recipe.lora is not None:
            fixed = list(network.parameters())
            torch.manual_seed(int(stream(seed, "lora").integers(2**31)))
            modules = new_lora(network, _layers(key, network, modules, recipe.lora), recipe.lora)
        for module in modules:
            module.train().requires_grad_(True)
        for module in network.modules():
            if "BatchNorm" in type(module).__name__:
                module.eval()
        yield [weight for weight in network.parameters() if weight.requires_grad]
    finally:
        network.zero_grad(set_to_none=True)
        network.requires_grad_(False).eval()
        if recipe.lora is None:
            network.to(precision)
        for weight in fixed:
            weight.data = weight.data.to(precision)
        forget_positions(network)


def _modules(key: str, network: Any, trains: Literal["all", "language"]) -> list[Any]:
    if trains == "all":
        return [network]
    decoder = network.get_decoder()
    tower = network.get_encoder(modality="image")
    if decoder is network or any(module is tower for module in decoder.modules()):
        raise WhatifError(
            f"fine-tuning of {key}: a {network.config.model_type!r} has no language model apart from its vision tower; "
            "set `trains: all`"
        )
    return [decoder, network.get_output_embeddings()]


def _layers(key: str, network: Any, modules: Sequence[Any], lora: LowRank) -> list[str]:
    """The names of the layers that get a LoRA, which are linear layers within `modules`."""
    import torch

    inside = {id(layer) for module in modules for layer in module.modules()} - {id(network.get_output_embeddings())}
    linear = [
        name for name, layer in network.named_modules() if isinstance(layer, torch.nn.Linear) and id(layer) in inside
    ]
    if lora.target_modules is None:
        return linear
    known = sorted({name.rpartition(".")[2] for name in linear})
    if odd := [target for target in lora.target_modules if target not in known]:
        raise WhatifError(
            f"fine-tuning of {key}: lora.target_modules: there is no linear layer {odd[0]!r} to train; there are "
            f"{', '.join(known)}"
        )
    return [name for name in linear if name.rpartition(".")[2] in lora.target_modules]
