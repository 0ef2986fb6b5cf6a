"""Loads processors and tokenisers, without the video part where its libraries are missing."""

from __future__ import annotations

from typing import Any

# Families whose processors need torchvision (SmolVLM's also num2words) only for videos -> their processor classes.
_VIDEO_FAMILIES = {
    "internvl": "InternVLProcessor",
    "llava_onevision": "LlavaOnevisionProcessor",
    "qwen2_vl": "Qwen2VLProcessor",
    "qwen2_5_vl": "Qwen2_5_VLProcessor",
    "qwen3_vl": "Qwen3VLProcessor",
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


def load_image_processor(source: str, model_type: str, options: dict[str, Any]) -> Any:
    """The processor of a checkpoint that reads images alone. The arguments are those of `load_processor`."""
    import transformers

    processors: Any = transformers.AutoImageProcessor
    return processors.from_pretrained(source, trust_remote_code=False, **options)


def without_video(model_type: str) -> Any:
    """The processor class of a family for images and text only; it reads and writes the family's own files.

    The library loads the parts that `get_attributes` names. The class leaves out the video processor there and passes
    the family's own `__init__` none.
    """
    import transformers

    base: Any = transformers.ProcessorMixin

    class ImagesAndText(transformers.ProcessorMixin):
        """Stands before the base class in the order of bases, so the family's own `__init__` calls this one."""

        @classmethod
        def get_attributes(cls) -> list[str]:
            return [name for name in base.get_attributes.__func__(cls) if name != "video_processor"]

        def __init__(self, image_processor: Any, tokenizer: Any, video_processor: Any, **more: Any) -> None:
            base.__init__(self, image_processor, tokenizer, **more)

    whole: Any = getattr(transformers, _VIDEO_FAMILIES[model_type])
    members: dict[str, Any] = {"__module__": whole.__module__}
    if model_type == "smolvlm":
        # Its own method always asks its video processor for the number of frames.
        members |= {"__init__": _initialise_smolvlm, "apply_chat_template": base.apply_chat_template}
    return type(whole.__name__, (whole, ImagesAndText), members)


def _initialise_smolvlm(
    self: Any,
    image_processor: Any,
    tokenizer: Any,
    image_seq_len: int = 169,  # as in the library
    chat_template: str | None = None,
    **_: Any,
) -> None:
    """SmolVLM's own method requires num2words, which only videos need."""
    import transformers

    self.fake_image_token = getattr(tokenizer, "fake_image_token", "<fake_token_around_image>")
    self.image_token = getattr(tokenizer, "image_token", "<image>")
    self.image_token_id = tokenizer.convert_tokens_to_ids(self.image_token)
    self.end_of_utterance_token = getattr(tokenizer, "end_of_utterance_token", "<end_of_utterance>")
    self.global_image_token = getattr(tokenizer, "global_image_token", "<global-img>")
    self.video_token = getattr(tokenizer, "video_token", "<video>")
    self.image_seq_len = image_seq_len
    base: Any = transformers.ProcessorMixin
    base.__init__(self, image_processor, tokenizer, chat_template=chat_template)
