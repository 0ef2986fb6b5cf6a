"""Counterfactual questions by real local checkpoints: random ones, and one that was trained on the format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.benchmarks.cvqa_real.question_writers import (
    BOOLEAN,
    NUMERICAL,
    entry,
    refused,
    rows_of,
    small,
    write,
    written,
)
from tests.projects import Project
from tests.tiny_checkpoints.text import tiny_text_model
from whatif.benchmarks.cvqa_real.chat_writing import NO_REPLY, REFUSED
from whatif.benchmarks.cvqa_real.writer_prompts import asked_entries


@pytest.fixture(autouse=True)
def own_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)


def few(project: Project, **model: Any) -> Project:
    """Three questions, two a request, without examples, which a tiny checkpoint has no room for."""
    small(project, {"1": NUMERICAL["1"], "2": NUMERICAL["2"], "11": BOOLEAN["11"]}, questions_per_request=2)
    project.generate["prompting"]["examples"]["number"] = 0
    project.values["models"] = {"writer": {"benchmarks": [], **model}}
    return project


@pytest.mark.parametrize("adapter", ["blind", "hf-chat"])
def test_a_random_checkpoint_writes_nothing_that_can_be_used(project: Project, adapter: str) -> None:
    checkpoint = "embedded:llava-scenes" if adapter == "hf-chat" else str(tiny_text_model(project.folder / "tiny"))
    few(project, adapter=adapter, checkpoint=checkpoint, batch_size=2)
    (said, *_) = write(project)
    assert said == "writer: wrote 0 of 3 counterfactual questions in 4 requests, 0 of them after a reply was repaired"
    assert rows_of(project, "by-model") == []
    assert refused(project).keys() == {"1-direct-writer", "2-direct-writer", "11-boolean-writer"}
    assert {reason for reason, _ in refused(project).values()} == {REFUSED}
    replies = rows_of(project, "replies")
    assert [(row["batch_id"], row["attempt"], row["source_ids"]) for row in replies] == [
        ("1-direct-writer", 0, ["1", "2"]),
        ("1-direct-writer", 1, ["1", "2"]),
        ("11-boolean-writer", 0, ["11"]),
        ("11-boolean-writer", 1, ["11"]),
    ]
    assert {row["status"] for row in replies} == {"refused"} and all(row["request_key"] for row in replies)
    before = project.everything()
    project.paths("generate", "by-model")[0].unlink()
    write(project)
    assert project.everything() == before, "all replies are stored"


def test_a_language_model_without_a_chat_template_gives_no_reply(project: Project) -> None:
    checkpoint = tiny_text_model(project.folder / "tiny", chat=False)
    few(project, adapter="blind", checkpoint=str(checkpoint))
    write(project)
    assert {reason for reason, _ in refused(project).values()} == {NO_REPLY}
    assert all("has no chat template" in detail for _, detail in refused(project).values())
    assert {row["status"] for row in rows_of(project, "replies")} == {"error"}


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("adapter", ["blind", "served"])
def test_a_checkpoint_that_knows_the_format_writes(
    project: Project, adapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = project.folder / "short.yaml"
    prompts.write_text(yaml.safe_dump({group: {"system": "Write."} for group in ("direct", "boolean")}))
    sources = [NUMERICAL["1"], NUMERICAL["2"], BOOLEAN["11"]]
    checkpoint = memorised(project.folder / "knows", sources)
    command: dict[str, Any] = {}
    if adapter == "served":
        (project.folder / "hub").mkdir()
        monkeypatch.setenv("HF_HUB_CACHE", str(project.folder / "hub"))
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        program = Path(sys.executable).with_name("transformers")
        command = {"command": f"{program} serve {{checkpoint}} --device cpu", "startup_seconds": 300.0}
    few(project, adapter=adapter, checkpoint=str(checkpoint), **command)
    project.generate["prompting"] |= {"file": str(prompts), "questions_per_request": 1}
    (said, *_) = write(project)
    assert said == "writer: wrote 3 of 3 counterfactual questions in 3 requests, 0 of them after a reply was repaired"
    assert [row["response"] for row in rows_of(project, "replies")] == [
        entry(*one) for one in (sources[0], sources[2], sources[1])
    ]
    assert {(row["writer"], row["attempt"]) for row in written(project).values()} == {("writer", 0)}


def memorised(folder: Path, sources: list[tuple[str, str]]) -> Path:
    """Saves a random Llama of 0.2 MB that was trained on the replies to these questions until it gives them."""
    import torch
    import transformers

    tiny_text_model(folder)
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    torch.manual_seed(0)
    model: Any = transformers.LlamaForCausalLM(transformers.AutoConfig.from_pretrained(folder))
    optimiser = torch.optim.AdamW(model.parameters(), lr=4e-3)
    batch = []
    for source in sources:
        turns = [{"role": "system", "content": "Write."}, {"role": "user", "content": asked_entries([source])}]
        prompt = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
        reply = tokenizer(entry(*source), add_special_tokens=False)["input_ids"]
        batch.append((prompt, [*reply, tokenizer.eos_token_id]))
    for _ in range(600):
        loss = sum(
            model(torch.tensor([[*prompt, *reply]]), labels=torch.tensor([[*([-100] * len(prompt)), *reply]])).loss
            for prompt, reply in batch
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if loss < 0.02:
            break
    assert loss < 0.02
    model.save_pretrained(folder)
    return folder
