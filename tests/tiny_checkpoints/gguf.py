"""A tiny language model as a GGUF file, written by the package gguf as llama.cpp's converter writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.tiny_checkpoints.text import tiny_text_model


def tiny_gguf(file: Path, chat: bool = True, architecture: str = "llama", **more: Any) -> Path:
    """Saves the model of `tiny_text_model` as `file`, in single precision; beside it, its folder `safetensors`.

    `more` are further whole numbers of the header, by key, with `__` for a point; they replace the model's own.
    """
    import gguf
    import torch
    import transformers

    folder = tiny_text_model(file.parent / "safetensors", chat=chat)
    model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder)
    settings = model.config
    writer = gguf.GGUFWriter(file, architecture)
    numbers = {
        "context_length": settings.max_position_embeddings,
        "embedding_length": settings.hidden_size,
        "block_count": settings.num_hidden_layers,
        "feed_forward_length": settings.intermediate_size,
        "attention.head_count": settings.num_attention_heads,
        "attention.head_count_kv": settings.num_key_value_heads,
        "rope.dimension_count": settings.head_dim,
        "vocab_size": settings.vocab_size,
    }
    numbers = {f"{architecture}.{key}": value for key, value in numbers.items()}
    for key, value in {**numbers, **{key.replace("__", "."): value for key, value in more.items()}}.items():
        writer.add_uint32(key, value)
    writer.add_layer_norm_rms_eps(settings.rms_norm_eps)
    writer.add_rope_freq_base(settings.rope_parameters["rope_theta"])
    _add_tokeniser(writer, folder)
    heads = settings.num_attention_heads
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, settings.num_hidden_layers)
    for name, weight in model.state_dict().items():
        rows = weight.to(torch.float32)
        if name.endswith(("q_proj.weight", "k_proj.weight")):  # llama.cpp pairs the halves of a head in another order
            rows = rows.unflatten(0, (heads, 2, -1)).transpose(1, 2).reshape(rows.shape)
        writer.add_tensor(names.get_name(name, try_suffixes=(".weight",)), rows.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def _add_tokeniser(writer: Any, folder: Path) -> None:
    import gguf
    import transformers

    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    merges = json.loads((folder / "tokenizer.json").read_text())["model"]["merges"]
    tokens = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
    special = set(tokenizer.all_special_tokens)
    kinds = [gguf.TokenType.CONTROL if token in special else gguf.TokenType.NORMAL for token in tokens]
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([" ".join(merge) for merge in merges])
    writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_pad_token_id(tokenizer.pad_token_id)
    if tokenizer.chat_template is not None:
        writer.add_chat_template(tokenizer.chat_template)
