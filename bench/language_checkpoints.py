"""Language models of realistic size with random weights, and captions for them: real ones if available."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from whatif.engine.language.tagging import Noun, nouns, tagger
from whatif.formats.caption_sets import SourceCaption, read_caption_set
from whatif.world.scene_pairs import caption_pair

_REAL = Path("coco") / "captions_val2017.json"
_LEARNT_FROM = 4000  # captions that the tokeniser is trained on
_MASK = "<mask>"


def captions(number: int) -> list[SourceCaption]:
    """Captions of MS-COCO, evenly spaced in the file, if `WHATIF_DATA` is set; otherwise captions of the scenes."""
    data = os.environ.get("WHATIF_DATA")
    if data:
        read = read_caption_set(Path(data) / _REAL).captions
        return read[:: max(1, len(read) // number)][:number]
    pairs = (caption_pair("test", place, 0) for place in range(number))
    return [SourceCaption(pair["pair_id"], pair["caption_0"], None) for pair in pairs]


def captions_with_nouns(number: int) -> list[tuple[str, list[Noun]]]:
    """Captions and their nouns, the input of a masked language model."""
    tag = tagger("pattern")
    return [(one.caption, nouns(one.caption, tag)) for one in captions(number)]


def roberta_base() -> tuple[Any, Any]:
    """A masked language model of 12 layers, width 768 and 50,265 words, and a byte-level tokeniser."""
    import torch
    import transformers

    torch.manual_seed(0)
    config = transformers.RobertaConfig(
        vocab_size=50_265, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5
    )
    special = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": _MASK}
    tokenizer = _tokenizer(special)
    return transformers.RobertaForMaskedLM(config).eval(), tokenizer


def gpt2() -> tuple[Any, Any]:
    """A causal language model of 12 layers, width 768 and 50,257 words, and a byte-level tokeniser."""
    import torch
    import transformers

    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config()).eval()
    return model, _tokenizer({"bos_token": "<s>", "eos_token": "</s>"})


def _tokenizer(special: dict[str, str]) -> Any:
    import tokenizers
    import transformers

    core = tokenizers.Tokenizer(tokenizers.models.BPE())
    core.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=20_000,
        special_tokens=list(special.values()),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator([one.caption for one in captions(_LEARNT_FROM)], trainer)
    if _MASK in special.values():
        ends = [(token, core.token_to_id(token)) for token in ("<s>", "</s>")]
        core.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=512, **special)
