"""Which weights of a checkpoint are trained, and in which precision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models.local.option_scores import forget_positions


def check_trainable(key: str, settings: HuggingFaceChat) -> None:
    """Raises WhatifError when the entry `key` of `models` loads weights that cannot be trained."""
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


@contextmanager
def in_training(key: str, network: Any, trains: Literal["all", "language"]) -> Iterator[list[Any]]:
    """Prepares a network for training, and yields the trained weights; afterwards it is ready to answer again.

    The weights are float32 in between: an update is much smaller than what half precision can tell apart. The network
    stays in evaluation mode apart from the trained modules; and the statistics of batch normalisation are never
    updated, because those of a few examples are not those of the training data.

    Raises WhatifError, naming the entry `key`, when the checkpoint has no language model of its own.
    """
    precision = network.dtype
    network.float().requires_grad_(False)
    try:
        for module in _modules(key, network, trains):
            module.train().requires_grad_(True)
        for module in network.modules():
            if "BatchNorm" in type(module).__name__:
                module.eval()
        yield [weight for weight in network.parameters() if weight.requires_grad]
    finally:
        network.zero_grad(set_to_none=True)
        network.requires_grad_(False).to(precision).eval()
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
