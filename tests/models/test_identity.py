"""The keys of a checkpoint's stored answers: everything that determines them, and nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tiny_checkpoints import tiny_llava
from whatif.models import load
from whatif.models.local.checkpoints import identity
from whatif.params.models import HuggingFaceChat

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llava(tmp_path_factory.mktemp("llava"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests of folders are cached in the current folder."""
    monkeypatch.chdir(tmp_path)


def identity_of(folder: Path, **more: Any) -> Mapping[str, Any]:
    found = load("hf-chat", HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder), **more), 0).identity
    assert found is not None
    return found


def test_it_is_plain_and_names_the_adapter(folder: Path) -> None:
    found = identity_of(folder)
    assert json.loads(json.dumps(found)) == found
    assert (found["adapter"], found["dtype"], found["max_new_tokens"]) == ("hf-chat", "float32", 64)
    assert isinstance(found["version"], int)


def test_what_changes_no_answer_is_no_part_of_it(folder: Path, tmp_path: Path) -> None:
    found = identity_of(folder)
    moved = Path(shutil.copytree(folder, tmp_path / "moved"))
    assert identity_of(moved, batch_size=3, name="Another name", device="cpu") == found


def test_it_has_no_more_keys_than_were_stored_before(folder: Path) -> None:
    """Another key, even a null one, would invalidate every stored answer."""
    assert set(identity_of(folder)) == {"adapter", "dtype", "max_new_tokens", "version", "files"}


@pytest.mark.parametrize("form", ["rank-text", "rank-letter", "words"])
def test_the_form_of_a_question_is_in_its_prompt_and_options(folder: Path, form: str) -> None:
    assert identity_of(folder, multiple_choice=form) == identity_of(folder)


@pytest.mark.parametrize("change", [{"dtype": "bfloat16"}, {"max_new_tokens": 5}])
def test_what_changes_answers_changes_it(folder: Path, change: dict[str, Any]) -> None:
    assert identity_of(folder, **change) != identity_of(folder)


def test_other_weights_or_another_template_are_another_model(folder: Path, tmp_path: Path) -> None:
    found = identity_of(folder)
    assert identity_of(tiny_llava(tmp_path / "other", seed=5)) != found
    edited = Path(shutil.copytree(folder, tmp_path / "edited"))
    template = edited / "chat_template.jinja"
    template.write_text(template.read_text().replace("ASSISTANT:", "ANSWER:"))
    assert identity_of(edited) != found


def test_a_checkpoint_of_the_hub_is_named_with_the_commit_that_was_loaded() -> None:
    settings = HuggingFaceChat(adapter="hf-chat", checkpoint="llava-hf/llava-1.5-7b-hf", revision="main")
    configuration = transformers.LlavaConfig()
    configuration._commit_hash = "0123abc"  # as the library sets it when it loads from the hub
    found = identity(settings, 1, configuration)
    assert (found["checkpoint"], found["revision"]) == ("llava-hf/llava-1.5-7b-hf", "0123abc")
    assert "files" not in found
