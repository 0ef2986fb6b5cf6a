"""Questions about the same images, which are encoded once, equal the same questions one at a time."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from tests.models.families import CHAT, picture, question, twin_questions
from tests.tiny_checkpoints import tiny_llava
from whatif.models import Answer, Question, load
from whatif.models.local.answerer import LocalModel
from whatif.params.checkpoints import HuggingFaceChat

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


def loaded(folder: Path, batch_size: int, max_new_tokens: int = 8) -> LocalModel:
    settings = HuggingFaceChat(
        adapter="hf-chat", checkpoint=str(folder), batch_size=batch_size, max_new_tokens=max_new_tokens
    )
    return cast("LocalModel", load("hf-chat", settings, 0))


def answers(folder: Path, batch_size: int, questions: Sequence[Question]) -> list[Answer]:
    return list(loaded(folder, batch_size).answer(questions))


def library_model(model: LocalModel) -> Any:
    return model.checkpoint.generate.args[0]  # type: ignore[attr-defined]


def looks(model: LocalModel) -> list[int]:
    """Increased by the number of rows of each pass in which the model processes images."""
    rows: list[int] = []

    def note(_: Any, arguments: Any, keywords: dict[str, Any]) -> None:
        if keywords.get("pixel_values") is not None:
            rows.append(len(keywords["input_ids"]))

    library_model(model).register_forward_pre_hook(note, with_kwargs=True)
    return rows


# Gemma 3 has a sliding window, which would count the padding between image and text.
SHARING = [family for family in CHAT if family != "gemma3"]


@pytest.fixture(scope="module", params=SHARING)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield CHAT[request.param](tmp_path_factory.mktemp(request.param))
    gc.collect()


@pytest.fixture(scope="module")
def llava(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llava(tmp_path_factory.mktemp("llava"))


@pytest.mark.parametrize("pictures", [1, 2])
def test_twins_get_what_each_question_gets_alone_token_for_token(folder: Path, pictures: int) -> None:
    questions = twin_questions(pictures)
    alone = answers(folder, 1, questions)
    assert len({answer.response for answer in alone}) == len(questions)
    assert {answer.status for answer in alone} == {"ok"}
    for batch_size in (3, len(questions)):
        model = loaded(folder, batch_size)
        rows = looks(model)
        assert list(model.answer(questions)) == alone
        assert set(rows) == {1}  # nothing fell back to another way
        assert len(rows) < len(questions)
    assert len(rows) == 4  # all in one batch: each of the four images is encoded once


def test_the_positions_that_are_given_are_those_of_a_whole_pass(folder: Path) -> None:
    """First logits, not only tokens: a shifted position may leave the most probable token unchanged."""
    model = loaded(folder, 4, max_new_tokens=1)
    together = model.checkpoint.generate_together
    assert together is not None
    seen: list[Any] = []
    library_model(model).register_forward_hook(lambda *call: seen.append(call[-1].logits[:, -1]))
    asked = twin_questions()[::4]
    alone = [model.checkpoint.encode([model.prompt(each)]) for each in asked]
    whole = [library_model(model)(**inputs).logits[0, -1] for inputs in alone]
    seen.clear()
    together(alone, [each.image_ids for each in asked], 1)
    torch.testing.assert_close(seen[-1], torch.stack(whole), atol=1e-4, rtol=0)


def test_a_question_with_a_picture_of_its_own_and_one_without_stand_among_twins(folder: Path) -> None:
    questions = [*twin_questions()[:6], question([picture(77)]), question([]), question([], "what colour?")]
    assert answers(folder, 9, questions) == answers(folder, 1, questions)


def test_answers_of_unlike_length_end_where_the_checkpoint_says(llava: Path, tmp_path: Path) -> None:
    questions = twin_questions()
    endless = answers(llava, 1, questions)
    assert all(answer.cut_off for answer in endless)
    together = loaded(llava, 11)
    alone = [together.checkpoint.encode([together.prompt(each)]) for each in questions]
    rows = [together.checkpoint.generate(inputs, together.checkpoint.max_new_tokens)[0] for inputs in alone]
    end = next(row[3] for row in rows if row[3] not in row[:3] and any(row[3] not in other for other in rows))
    model = transformers.LlavaForConditionalGeneration.from_pretrained(llava)
    model.generation_config.eos_token_id = [2, end]
    model.save_pretrained(tmp_path)
    transformers.AutoProcessor.from_pretrained(llava).save_pretrained(tmp_path)
    ended = answers(tmp_path, 11, questions)
    assert ended == answers(tmp_path, 1, questions)
    assert [answer.response_tokens for answer in ended] == [row.index(end) + 1 if end in row else 8 for row in rows]
    assert [answer.cut_off for answer in ended] == [end not in row for row in rows]
    assert {answer.cut_off for answer in ended} == {True, False}


@pytest.mark.parametrize("ending", ["\nASSISTANT:", ""])
def test_words_may_stand_before_the_pictures(llava: Path, tmp_path: Path, ending: str) -> None:
    """Then nothing useful is shared; and if nothing follows the image, the plain method is used."""
    template = (
        "{% for message in messages %}{{ message['content'][-1]['text'] }}{% for part in message['content'][:-1] %}"
        "<image>{% endfor %}{% endfor %}{% if add_generation_prompt %}"
        + ending.replace("\n", "{{ '\\n' }}")
        + "{% endif %}"
    )
    transformers.LlavaForConditionalGeneration.from_pretrained(llava).save_pretrained(tmp_path)
    processor = transformers.AutoProcessor.from_pretrained(llava)
    processor.chat_template = template
    processor.save_pretrained(tmp_path)
    questions = twin_questions()
    alone = answers(tmp_path, 1, questions)
    assert {answer.status for answer in alone} == {"ok"}
    assert answers(tmp_path, 11, questions) == alone


def test_a_sliding_window_is_answered_in_plain_batches(llava: Path, tmp_path: Path) -> None:
    """The window would count the padding between image and text."""
    own = transformers.AutoConfig.from_pretrained(llava)
    words = {**own.text_config.to_dict(), "model_type": "mistral", "sliding_window": 6}
    words.pop("architectures", None)
    own.text_config = transformers.MistralConfig(**words)
    torch.manual_seed(0)
    transformers.LlavaForConditionalGeneration(own).save_pretrained(tmp_path)
    transformers.AutoProcessor.from_pretrained(llava).save_pretrained(tmp_path)
    assert loaded(tmp_path, 4).checkpoint.generate_together is None
    assert loaded(llava, 4).checkpoint.generate_together is not None
    questions = twin_questions()
    assert answers(tmp_path, 4, questions) == answers(tmp_path, 1, questions)


def test_a_family_with_a_sliding_window_is_answered_in_plain_batches(tmp_path: Path) -> None:
    folder = CHAT["gemma3"](tmp_path)
    assert loaded(folder, 4).checkpoint.generate_together is None
    questions = twin_questions()
    assert answers(folder, 4, questions) == answers(folder, 1, questions)


def test_twins_stand_in_one_batch_whatever_their_length(llava: Path) -> None:
    model = loaded(llava, 4)
    rows = looks(model)
    twins = [[question([picture(n)], "how many?"), question([picture(n)], "how many " + "dots " * 9)] for n in range(6)]
    list(model.answer([each for pair in twins for each in pair]))
    assert rows == [1] * 6


def test_the_same_question_twice_and_one_that_goes_on_where_another_ends(llava: Path) -> None:
    questions = [
        question([picture(0)], words) for words in ("how many", "how many", "how many dots", "how many dots 7")
    ]
    alone = answers(llava, 1, questions)
    assert answers(llava, 4, questions) == alone
    assert alone[0] == alone[1] != alone[2]


def test_memory_for_fewer_questions_about_a_picture_than_a_batch(llava: Path) -> None:
    questions = twin_questions()
    expected = answers(llava, 1, questions)
    model = loaded(llava, 8)

    def refuse(_: Any, arguments: Any, keywords: dict[str, Any]) -> None:
        if len(keywords["input_ids"]) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")

    library_model(model).register_forward_pre_hook(refuse, with_kwargs=True)
    assert list(model.answer(questions)) == expected
    assert model.batches.size == 2
