"""Tiny masked and causal language models of captions: BERT, RoBERTa, GPT-2 and one that reads no packs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tiny_checkpoints.tokenizer import widen

TEXTS = (
    "A man rides a brown horse on the beach.",
    "Two dogs and a cat sit near the old wooden table.",
    "The woman holds a red umbrella while a boy looks at her.",
    "a plate of food, fruit and a glass of water",
)
_SPECIAL = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "mask_token": "<mask>"}
_SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}


def tiny_roberta(folder: Path, positions: int = 66, mask: bool = True) -> Path:
    """A random RoBERTa with a byte-level tokeniser; it takes `positions` - 2 tokens, or fewer where 64 is less."""
    import transformers

    tokenizer = _byte_level(mask)
    config = transformers.RobertaConfig(
        **_SIZES, **_ids(tokenizer), vocab_size=len(tokenizer), max_position_embeddings=positions, type_vocab_size=1
    )
    return _saved(transformers.RobertaForMaskedLM(config), tokenizer, folder)


def tiny_bert(folder: Path) -> Path:
    """A random BERT with a WordPiece tokeniser that knows no capitals."""
    import tokenizers
    import transformers

    special = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    core = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    core.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    core.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    core.decoder = tokenizers.decoders.WordPiece()
    core.train_from_iterator(
        TEXTS,
        tokenizers.trainers.WordPieceTrainer(
            vocab_size=140, special_tokens=list(special.values()), show_progress=False
        ),
    )
    ends = [(token, core.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    core.post_processor = tokenizers.processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    named = {f"{name}_token": token for name, token in special.items()}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=64, **named)
    config = transformers.BertConfig(
        **_SIZES, vocab_size=len(tokenizer), max_position_embeddings=64, pad_token_id=tokenizer.pad_token_id
    )
    return _saved(transformers.BertForMaskedLM(config), tokenizer, folder)


def tiny_causal(folder: Path, family: str = "gpt2") -> Path:
    """A random GPT-2, Llama or OPT of 64 positions."""
    import transformers

    tokenizer = _byte_level(mask=False, framed=False)
    common = {"vocab_size": len(tokenizer), **_ids(tokenizer)}
    if family == "gpt2":
        config: Any = transformers.GPT2Config(**common, n_embd=32, n_layer=2, n_head=2, n_positions=64)
        model: Any = transformers.GPT2LMHeadModel(config)
    elif family == "llama":
        config = transformers.LlamaConfig(**common, **_SIZES, num_key_value_heads=2, max_position_embeddings=64)
        model = transformers.LlamaForCausalLM(config)
    else:
        config = transformers.OPTConfig(
            **common,
            hidden_size=32,
            word_embed_proj_dim=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            ffn_dim=64,
            max_position_embeddings=64,
        )
        model = transformers.OPTForCausalLM(config)
    return _saved(model, tokenizer, folder)


def _byte_level(mask: bool, framed: bool = True) -> Any:
    import tokenizers
    import transformers

    special = {name: token for name, token in _SPECIAL.items() if mask or name != "mask_token"}
    core = tokenizers.Tokenizer(tokenizers.models.BPE())
    core.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=[
            # As RoBERTa's does, the mask takes the space before it.
            tokenizers.AddedToken(token, lstrip=token == "<mask>", special=True)
            for token in special.values()
        ],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator(TEXTS, trainer)
    if framed:
        ends = [(token, core.token_to_id(token)) for token in ("<s>", "</s>")]
        core.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=64, **special)


def _ids(tokenizer: Any) -> dict[str, Any]:
    return {name: getattr(tokenizer, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")}


def _saved(model: Any, tokenizer: Any, folder: Path) -> Path:
    widen(model, 0).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
