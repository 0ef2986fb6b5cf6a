"""Loads processors and tokenisers, without the video part where its libraries are missing."""

from __future__ import annotations

from typing import Any

# Families whose processors need torchvision (SmolVLM's also num2words) only for videos -> their processor classes.
_VIDEO_FAMILIES = {
    "qwen2_vl": "Qwen2VLProcessor",
    "qwen2_5_vl": "Qwen2_5_VLProcessor",
    "smolvlm": "SmolVLMProcessor",
}


def load_processor(source: str, model_type: str, options: dict[str, Any]) -> Any:
    """The processor of the checkpoint `source`. `options` are those of the library's `from_pretrained`."""
    import transformers
    from transformers.utils.import_utils import is_torchvision_available

    if model_type in _VIDEO_FAMILIES and not is_torchvision_available():
        return without_video(model_type).from_pretrained(source, trust_remote_code=False, **options)
    processors: Any = transformers.AutoProcessor
    return processors.from_pretrained(source, trust_remote_code=False, **options)


def load_tokenizer(source: str, model_type: str, options: dict[str, Any]) -> Any:
    """The tokeniser of the checkpoint `source`. The arguments are those of `load_processor`; the type is not used."""
    import transformers

    tokenizers: Any = transformers.AutoTokenizer
    return tokenizers.from_pretrained(source, trust_remote_code=False, **options)


def without_video(model_type: str) -> Any:
    """The processor class of a family for images and text only; it reads and writes the family's own files.

    The library derives the parts of a processor from the parameters of `__init__`; without `video_processor` it does
    not load a part that needs torchvision.
    """
    import transformers

    base: Any = transformers.ProcessorMixin
    whole = getattr(transformers, _VIDEO_FAMILIES[model_type])
    prepare = _prepare_smolvlm if model_type == "smolvlm" else _prepare_qwen

    def initialise(
        self: Any,
        image_processor: Any = None,
        tokenizer: Any = None,
        image_seq_len: int = 169,  # as in the library; not used by Qwen-VL
        chat_template: str | None = None,
        **_: Any,
    ) -> None:
        prepare(self, tokenizer, image_seq_len)
        base.__init__(self, image_processor, tokenizer, chat_template=chat_template)

    # SmolVLM's own method always asks its video processor for the number of frames.
    members = {"__init__": initialise, "__module__": whole.__module__, "apply_chat_template": base.apply_chat_template}
    return type(whole.__name__, (whole,), members)


def _prepare_qwen(processor: Any, tokenizer: Any, image_seq_len: int) -> None:
    for kind in ("image", "video"):
        token = getattr(tokenizer, f"{kind}_token", f"<|{kind}_pad|>")
        setattr(processor, f"{kind}_token", token)
        setattr(processor, f"{kind}_token_id", tokenizer.convert_tokens_to_ids(token))


def _prepare_smolvlm(processor: Any, tokenizer: Any, image_seq_len: int) -> None:
    processor.fake_image_token = getattr(tokenizer, "fake_image_token", "<fake_token_around_image>")
    processor.image_token = getattr(tokenizer, "image_token", "<image>")
    processor.image_token_id = tokenizer.convert_tokens_to_ids(processor.image_token)
    processor.end_of_utterance_token = getattr(tokenizer, "end_of_utterance_token", "<end_of_utterance>")
    processor.global_image_token = getattr(tokenizer, "global_image_token", "<global-img>")
    processor.video_token = getattr(tokenizer, "video_token", "<video>")
    processor.image_seq_len = image_seq_len
