"""Questions about the same images, which are encoded once, equal the same questions one at a time."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.models import families
from tests.models.families import (
    CHAT,
    checkpoint,
    llava_ending,
    network,
    picture,
    question,
    questions_sharing_images,
    quick,
)
from whatif.models import Answer, Question
from whatif.models.local.answerer import LocalModel

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


loaded = partial(families.loaded, max_new_tokens=8)


def answers(
    batch_size: int, questions: Sequence[Question], family: str = "llava", folder: Path | None = None
) -> list[Answer]:
    return list(loaded(family, folder, batch_size=batch_size).answer(questions))


def looks(model: LocalModel) -> list[int]:
    """Increased by the number of rows of each pass in which the model processes images."""
    rows: list[int] = []

    def note(_: Any, arguments: Any, keywords: dict[str, Any]) -> None:
        if keywords.get("pixel_values") is not None:
            rows.append(len(keywords["input_ids"]))

    network(model).register_forward_pre_hook(note, with_kwargs=True)
    return rows


# Gemma 3 has a sliding window, which would count the padding between image and text.
SHARING = [family for family in CHAT if family != "gemma3"]


@pytest.mark.parametrize("family", SHARING)
@pytest.mark.parametrize("pictures", [pytest.param(1, marks=pytest.mark.soak), 2])
def test_questions_sharing_images_get_what_each_question_gets_alone_token_for_token(family: str, pictures: int) -> None:
    questions = questions_sharing_images(pictures)
    alone = answers(1, questions, family)
    assert len({answer.response for answer in alone}) == len(questions)
    assert {answer.status for answer in alone} == {"ok"}
    for batch_size in (3, len(questions)):
        model = loaded(family, batch_size=batch_size)
        rows = looks(model)
        assert list(model.answer(questions)) == alone
        assert set(rows) == {1}  # nothing fell back to another way
        assert len(rows) < len(questions)
    assert len(rows) == 4  # all in one batch: each of the four images is encoded once


@pytest.mark.parametrize("family", SHARING)
def test_the_positions_that_are_given_are_those_of_a_whole_pass(family: str) -> None:
    """First logits, not only tokens: a shifted position may leave the most probable token unchanged."""
    model = loaded(family, batch_size=4, max_new_tokens=1)
    together = model.checkpoint.generate_together
    assert together is not None
    seen: list[Any] = []
    network(model).register_forward_hook(lambda *call: seen.append(call[-1].logits[:, -1]))
    asked = questions_sharing_images()[::4]
    alone = [model.checkpoint.encode([model.prompt(each)]) for each in asked]
    whole = [network(model)(**inputs).logits[0, -1] for inputs in alone]
    seen.clear()
    together(alone, [each.image_ids for each in asked], 1)
    torch.testing.assert_close(seen[-1], torch.stack(whole), atol=1e-4, rtol=0)


@pytest.mark.parametrize("family", quick("llava", "mllama", of=SHARING))
def test_a_question_with_a_picture_of_its_own_and_one_without_stand_among_shared_ones(family: str) -> None:
    questions = [*questions_sharing_images()[:6], question([picture(77)]), question([]), question([], "what colour?")]
    assert answers(9, questions, family) == answers(1, questions, family)


def test_answers_of_unlike_length_end_where_the_checkpoint_says(tmp_path: Path) -> None:
    questions = questions_sharing_images()
    endless = answers(1, questions)
    assert all(answer.cut_off for answer in endless)
    together = loaded("llava", batch_size=11)
    alone = [together.checkpoint.encode([together.prompt(each)]) for each in questions]
    rows = [together.checkpoint.generate(inputs, together.checkpoint.max_new_tokens)[0] for inputs in alone]
    end = next(row[3] for row in rows if row[3] not in row[:3] and any(row[3] not in other for other in rows))
    folder = llava_ending(tmp_path, [2, end])
    ended = answers(11, questions, folder=folder)
    assert ended == answers(1, questions, folder=folder)
    assert [answer.response_tokens for answer in ended] == [row.index(end) + 1 if end in row else 8 for row in rows]
    assert [answer.cut_off for answer in ended] == [end not in row for row in rows]
    assert {answer.cut_off for answer in ended} == {True, False}


@pytest.mark.parametrize("ending", ["\nASSISTANT:", ""])
def test_words_may_stand_before_the_pictures(tmp_path: Path, ending: str) -> None:
    """Then nothing useful is shared; and if nothing follows the image, the plain method is used."""
    template = (
        "{% for message in messages %}{{ message['content'][-1]['text'] }}{% for part in message['content'][:-1] %}"
        "<image>{% endfor %}{% endfor %}{% if add_generation_prompt %}"
        + ending.replace("\n", "{{ '\\n' }}")
        + "{% endif %}"
    )
    folder = Path(shutil.copytree(checkpoint("llava"), tmp_path / "llava"))
    (folder / "chat_template.jinja").write_text(template)
    questions = questions_sharing_images()
    alone = answers(1, questions, folder=folder)
    assert {answer.status for answer in alone} == {"ok"}
    assert answers(11, questions, folder=folder) == alone


def test_a_sliding_window_is_answered_in_plain_batches(tmp_path: Path) -> None:
    """The window would count the padding between image and text."""
    own = transformers.AutoConfig.from_pretrained(checkpoint("llava"))
    words = {**own.text_config.to_dict(), "model_type": "mistral", "sliding_window": 6}
    words.pop("architectures", None)
    own.text_config = transformers.MistralConfig(**words)
    torch.manual_seed(0)
    transformers.LlavaForConditionalGeneration(own).save_pretrained(tmp_path)
    transformers.AutoProcessor.from_pretrained(checkpoint("llava")).save_pretrained(tmp_path)
    assert loaded("llava", tmp_path, batch_size=4).checkpoint.generate_together is None
    assert loaded("llava", batch_size=4).checkpoint.generate_together is not None
    questions = questions_sharing_images()
    assert answers(4, questions, folder=tmp_path) == answers(1, questions, folder=tmp_path)


def test_a_family_with_a_sliding_window_is_answered_in_plain_batches() -> None:
    assert loaded("gemma3", batch_size=4).checkpoint.generate_together is None
    questions = questions_sharing_images()
    assert answers(4, questions, "gemma3") == answers(1, questions, "gemma3")


def test_questions_about_one_image_stand_in_one_batch_whatever_their_length() -> None:
    model = loaded("llava", batch_size=4)
    rows = looks(model)
    pairs = [[question([picture(n)], "how many?"), question([picture(n)], "how many " + "dots " * 9)] for n in range(6)]
    list(model.answer([each for pair in pairs for each in pair]))
    assert rows == [1] * 6


def test_the_same_question_twice_and_one_that_goes_on_where_another_ends() -> None:
    questions = [
        question([picture(0)], words) for words in ("how many", "how many", "how many dots", "how many dots 7")
    ]
    alone = answers(1, questions)
    assert answers(4, questions) == alone
    assert alone[0] == alone[1] != alone[2]


def test_memory_for_fewer_questions_about_a_picture_than_a_batch() -> None:
    questions = questions_sharing_images()
    expected = answers(1, questions)
    model = loaded("llava", batch_size=8)

    def refuse(_: Any, arguments: Any, keywords: dict[str, Any]) -> None:
        if len(keywords["input_ids"]) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")

    network(model).register_forward_pre_hook(refuse, with_kwargs=True)
    assert list(model.answer(questions)) == expected
    assert model.batches.size == 2
