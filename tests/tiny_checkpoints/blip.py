"""Tiny BLIP-2 and InstructBLIP, with a decoder-only (OPT) or an encoder-decoder (T5) language model."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from tests.tiny_checkpoints.tokenizer import special_ids, tiny_tokenizer, widen

Language = Literal["opt", "t5"]
_QUERIES = 3
_VISION = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 28,
    "patch_size": 14,
}


def tiny_blip2(folder: Path, language: Language, seed: int = 0) -> Path:
    """Saves a random BLIP-2 of 0.6 MB into `folder`."""
    import transformers

    tokenizer = _tokenizer(language)
    configuration = transformers.Blip2Config(
        vision_config=_VISION,
        qformer_config=_qformer(tokenizer),
        text_config=_language(tokenizer, language),
        num_query_tokens=_QUERIES,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    widen(transformers.Blip2ForConditionalGeneration(configuration), seed).save_pretrained(folder)
    transformers.Blip2Processor(_image_processor(), tokenizer, num_query_tokens=_QUERIES).save_pretrained(folder)
    return folder


def tiny_instructblip(folder: Path, language: Language, seed: int = 0) -> Path:
    """Saves a random InstructBLIP of 0.6 MB into `folder`, whose Q-Former reads the question too."""
    import transformers

    tokenizer = _tokenizer(language)
    configuration = transformers.InstructBlipConfig(
        vision_config=_VISION,
        qformer_config=_qformer(tokenizer),
        text_config=_language(tokenizer, language),
        num_query_tokens=_QUERIES,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    widen(transformers.InstructBlipForConditionalGeneration(configuration), seed).save_pretrained(folder)
    transformers.InstructBlipProcessor(
        _image_processor(), tokenizer, _tokenizer(language), num_query_tokens=_QUERIES
    ).save_pretrained(folder)
    return folder


def _tokenizer(language: Language) -> Any:
    """Frames a text as the family's own tokeniser does: OPT begins it, T5 ends it."""
    import tokenizers

    tokenizer = tiny_tokenizer()
    frame = "<s> $A" if language == "opt" else "$A </s>"
    token = frame.replace("$A", "").strip()
    tokenizer.backend_tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=frame, special_tokens=[(token, tokenizer.convert_tokens_to_ids(token))]
    )
    return tokenizer


def _image_processor() -> Any:
    import transformers

    return transformers.BlipImageProcessor(size={"height": 28, "width": 28})


def _qformer(tokenizer: Any) -> dict[str, Any]:
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "encoder_hidden_size": 32,
        "cross_attention_frequency": 1,
    }


def _language(tokenizer: Any, language: Language) -> Any:
    import transformers

    if language == "opt":
        return transformers.OPTConfig(
            vocab_size=len(tokenizer),
            hidden_size=48,
            word_embed_proj_dim=48,
            ffn_dim=96,
            num_hidden_layers=2,
            num_attention_heads=2,
            max_position_embeddings=512,
            **special_ids(tokenizer),
        )
    return transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=48,
        d_kv=24,
        d_ff=96,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=tokenizer.pad_token_id,
        **special_ids(tokenizer),
    )
