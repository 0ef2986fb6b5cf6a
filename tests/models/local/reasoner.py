"""A tiny LLaVA that reasons: its template may begin the reasoning, and some of its responses leave it."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from tests.models import families
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models import Question, load
from whatif.models.local.answerer import LocalModel

END = "</think>"
# As Qwen3's: the reasoning is begun, or is there already, empty.
_SWITCH = "{% if enable_thinking %}<think>\n{% else %}<think>\n\n</think>\n\n{% endif %}"


def reasoner(folder: Path) -> Path:
    """Saves it into `folder`. Its template takes `enable_thinking` and `reasoning_effort`."""
    shutil.copytree(families.checkpoint("llava"), folder)
    template = folder / "chat_template.jinja"
    text = template.read_text(encoding="utf-8").replace("ASSISTANT:{%", "ASSISTANT:" + _SWITCH + "{%")
    template.write_text("{% if reasoning_effort %}{{ reasoning_effort }}{% endif %}" + text, encoding="utf-8")
    return folder


def with_end(folder: Path, questions: list[Question], new_tokens: int) -> Path:
    """Lets the reasoner in `folder` leave its reasoning: a token that some of its responses have becomes the end."""
    import torch
    import transformers

    kept = rows(reasoning(folder, max_new_tokens=1024, budget_tokens=None), questions, new_tokens)
    first = Counter(token for row in kept for token in set(row[2:-2]) - set(row[:2]))
    end = max((count, token) for token, count in first.items() if count < len(kept) - 1)[1]
    processor: Any = transformers.AutoProcessor.from_pretrained(folder)
    processor.tokenizer.add_tokens([END], special_tokens=True)
    model: Any = transformers.LlavaForConditionalGeneration.from_pretrained(folder)
    model.resize_token_embeddings(len(processor.tokenizer))
    mark = processor.tokenizer.convert_tokens_to_ids(END)
    with torch.no_grad():
        head, words = model.lm_head.weight, model.get_input_embeddings().weight
        head[mark], words[mark] = head[end].clone(), words[end].clone()
        head[end] = 0
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def reasoning(folder: Path, *, budget_tokens: int | None, thinks: bool = True, **more: Any) -> LocalModel:
    """The model with these settings."""
    settings = {"template_kwargs": {"enable_thinking": thinks}, "budget_tokens": budget_tokens}
    entry = HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder), reasoning=settings, **more)
    model = load("hf-chat", entry, 0)
    assert isinstance(model, LocalModel)
    return model


def rows(model: LocalModel, questions: list[Question], limit: int) -> list[list[int]]:
    """The tokens that it generates for each question alone."""
    made = []
    for asked in questions:
        made += model.checkpoint.generate(model.checkpoint.encode([model.prompt(asked)]), limit)
    return made
