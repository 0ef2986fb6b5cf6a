"""Tiny random checkpoints that find things in images by their names, and one that estimates depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_WORDS = ("ball", "box", "red", "blue", "thing", "a", "the", ".")


def tiny_owlvit(folder: Path) -> Path:
    """An OWL-ViT of random weights, with 16 patches."""
    import torch
    from transformers import CLIPTokenizer, OwlViTConfig, OwlViTForObjectDetection, OwlViTProcessor
    from transformers.models.owlvit.image_processing_pil_owlvit import OwlViTImageProcessorPil

    torch.manual_seed(0)
    text = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1}
    text |= {"num_attention_heads": 2, "max_position_embeddings": 16, "bos_token_id": 0, "eos_token_id": 1}
    vision = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    vision |= {"image_size": 32, "patch_size": 8}
    model = OwlViTForObjectDetection(OwlViTConfig(text_config=text, vision_config=vision, projection_dim=32))
    model.save_pretrained(folder)
    vocabulary = {
        word: place for place, word in enumerate(["<|startoftext|>", "<|endoftext|>", *(w + "</w>" for w in _WORDS)])
    }
    tokenizer: Any = CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=16)
    images = OwlViTImageProcessorPil(size={"height": 32, "width": 32})
    OwlViTProcessor(image_processor=images, tokenizer=tokenizer).save_pretrained(folder)
    return folder


def tiny_grounding_dino(folder: Path) -> Path:
    """A Grounding DINO of random weights, with 12 queries."""
    import torch
    from transformers import BertTokenizer, GroundingDinoConfig, GroundingDinoForObjectDetection, GroundingDinoProcessor
    from transformers.models.grounding_dino.image_processing_pil_grounding_dino import GroundingDinoImageProcessorPil

    torch.manual_seed(0)
    backbone = {"model_type": "swin", "image_size": 64, "patch_size": 4, "embed_dim": 16, "depths": [1, 1, 1, 1]}
    backbone |= {"num_heads": [1, 2, 2, 2], "window_size": 4, "out_features": ["stage2", "stage3", "stage4"]}
    text = {"model_type": "bert", "vocab_size": 32, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    text |= {"intermediate_size": 32, "max_position_embeddings": 32}
    small = {"d_model": 32, "num_queries": 12, "encoder_layers": 1, "decoder_layers": 2, "max_text_len": 16}
    small |= {"encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
    configuration: Any = GroundingDinoConfig(backbone_config=backbone, text_config=text, **small)
    model = GroundingDinoForObjectDetection(configuration)
    model.save_pretrained(folder)
    words = folder / "vocab.txt"
    words.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *_WORDS]), encoding="utf-8")
    tokenizer: Any = BertTokenizer(str(words), model_max_length=16)
    images = GroundingDinoImageProcessorPil(size={"shortest_edge": 64, "longest_edge": 96})
    GroundingDinoProcessor(image_processor=images, tokenizer=tokenizer).save_pretrained(folder)
    return folder


def tiny_depth_anything(folder: Path) -> Path:
    """A Depth Anything of random weights."""
    import torch
    from transformers import DepthAnythingConfig, DepthAnythingForDepthEstimation
    from transformers.models.dpt.image_processing_pil_dpt import DPTImageProcessorPil

    torch.manual_seed(0)
    backbone = {"model_type": "dinov2", "image_size": 28, "patch_size": 14, "hidden_size": 32, "num_hidden_layers": 4}
    backbone |= {
        "num_attention_heads": 2,
        "out_indices": [1, 2, 3, 4],
        "reshape_hidden_states": False,
        "apply_layernorm": True,
    }
    sizes: Any = {
        "reassemble_hidden_size": 32,
        "neck_hidden_sizes": [8, 8, 8, 8],
        "fusion_hidden_size": 8,
        "head_hidden_size": 8,
    }
    model = DepthAnythingForDepthEstimation(DepthAnythingConfig(backbone_config=backbone, patch_size=14, **sizes))
    model.save_pretrained(folder)
    DPTImageProcessorPil(size={"height": 28, "width": 28}, ensure_multiple_of=14).save_pretrained(folder)
    return folder
