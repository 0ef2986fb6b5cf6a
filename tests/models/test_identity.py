"""The keys of a checkpoint's stored answers: everything that determines them, and nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.models.families import checkpoint
from tests.tiny_checkpoints import tiny_llava
from whatif.engine.language.messages import one_turn
from whatif.engine.params.checkpoints import BlindTextModel, HuggingFaceBlip, HuggingFaceChat
from whatif.engine.params.endpoints import ApiModel
from whatif.models import Question, load
from whatif.models.local.checkpoints import identity
from whatif.models.responses.store import ResponseStore, request_key
from whatif.models.responses.stored import StoredModel

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def folder() -> Path:
    return checkpoint("llava")


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


# Keys of requests that were stored before decoding and prompt forms were settings: open, and with options.
BEFORE = {
    "api": (
        "5b4f7051c9658d69dc24310ea1ad7020a2b948ce4d5fd8e61dc74a8b85c06e09",
        "e8f7b5de1d165c35dabeb740ed69ad15fe1c9d6e1235562cbae6e8764d1053f2",
    ),
    "hf-chat": (
        "eafaefa5c0c975efbd0d75135e678e2cd0e35987476a01bc70a9d27bf4c79186",
        "644f353520d73e2e407b2db4369b07edc7e6bd5601cd834f9df6ef7eb4715c39",
    ),
    "hf-blip": (
        "f9bb4ea6e5f97148adc62cf09b4f7db33dd2b378a67a97a109d1f3c90a9bbfc6",
        "3b3293761f3b698bd647e741613898e556be16d05188e6d652e0e40e48419933",
    ),
    "blind": (
        "7447126f106af6ae5353c60fbb31b2b0f76b9af9887455ac0d856ef4fa36e7b8",
        "ada7434df969faa6ba230834518865ff196e00e7f012b914d97ad5f1f035675b",
    ),
}
OPEN, RANKED = 0, 1


def named_identity(adapter: str, **more: Any) -> Mapping[str, Any]:
    """The identity of a model of the hub, or behind an endpoint; nothing is loaded."""
    if adapter == "api":
        settings = ApiModel.model_validate({"adapter": "api", "model": "m", "base_url": "http://a/v1", **more})
        found = load("api", settings, 0).identity
        assert found is not None
        return found
    kinds: dict[str, Any] = {"hf-chat": HuggingFaceChat, "hf-blip": HuggingFaceBlip, "blind": BlindTextModel}
    configuration = transformers.LlavaConfig()
    configuration._commit_hash = "0123abc"
    return identity(kinds[adapter].model_validate({"adapter": adapter, "checkpoint": "a/b", **more}), 2, configuration)


def keys(adapter: str, sample: int = 0, **more: Any) -> tuple[str, str]:
    nothing: Any = None
    with ResponseStore(Path("responses.sqlite")) as store:
        model = StoredModel(nothing, named_identity(adapter, **more), store)
        asked = [
            Question("q", "g", "v", one_turn("How many?", ["0" * 64]), options, sample=sample)
            for options in ((), ("A", "B"))
        ]
        open_key, ranked = (request_key(model._request(question)) for question in asked)
    return open_key, ranked


@pytest.mark.parametrize("adapter", BEFORE)
def test_what_was_stored_before_stays_in_use(adapter: str) -> None:
    assert keys(adapter) == BEFORE[adapter]


@pytest.mark.parametrize("adapter", ["hf-chat", "hf-blip", "blind"])
def test_decoding_is_in_the_key_of_responses_when_it_is_set_and_never_of_rankings(adapter: str) -> None:
    settings: list[dict[str, Any]] = [
        {"beams": 5},
        {"beams": 5, "length_penalty": -1.0},
        {"temperature": 0.2},
        {"temperature": 0.2, "top_p": 0.9},
        {"temperature": 0.2, "seed": 1},
    ]
    found = [keys(adapter, decoding=decoding) for decoding in settings]
    assert len({open_key for open_key, _ in [*found, BEFORE[adapter]]}) == 6
    assert {ranked for _, ranked in found} == {BEFORE[adapter][RANKED]}
    for greedy in ({}, {"temperature": 0}, {"beams": 1}, {"seed": 0}):
        assert keys(adapter, decoding=greedy) == BEFORE[adapter]


def test_decoding_at_an_endpoint_is_in_the_key_when_it_is_set() -> None:
    settings: list[dict[str, Any]] = [{"temperature": 0.2}, {"temperature": None}, {"seed": 0}]
    settings += [{"temperature": 0.2, "top_p": 0.9}, {"temperature": 0.2, "seed": 1}]
    assert len({BEFORE["api"][OPEN], *(keys("api", decoding=decoding)[OPEN] for decoding in settings)}) == 6


def test_a_ranking_by_an_endpoint_has_no_decoding_in_its_key() -> None:
    settings: list[dict[str, Any]] = [{}, {"temperature": 0.7, "top_p": 0.9, "seed": 1}, {"temperature": 0}]
    found = {keys("api", multiple_choice="rank-letter", decoding=decoding) for decoding in settings}
    assert len({ranked for _, ranked in found}) == 1 and len({open_key for open_key, _ in found}) == 3


def test_each_sample_but_the_first_has_its_number_in_the_key() -> None:
    one = [keys("hf-chat", decoding={"temperature": 1.0})]
    many = [keys("hf-chat", sample, decoding={"temperature": 1.0, "samples": 3}) for sample in range(3)]
    assert one[0] == many[0] and len({open_key for open_key, _ in many}) == 3


@pytest.mark.parametrize("adapter", BEFORE)
def test_the_text_around_a_prompt_is_in_the_key_by_its_words(adapter: str) -> None:
    around = "Question: {question} Short answer:"
    assert keys(adapter, prompt="blip-2") == keys(adapter, prompt=around)
    assert set(keys(adapter, prompt=around)).isdisjoint(BEFORE[adapter])


@pytest.mark.parametrize("adapter", ["hf-chat", "api"])
def test_a_form_that_only_words_questions_is_in_the_key_by_the_prompt_alone(adapter: str) -> None:
    assert keys(adapter, prompt="llava-1-5") == keys(adapter, prompt="{question}") == BEFORE[adapter]
