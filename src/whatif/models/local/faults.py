"""Classifies the errors of a local checkpoint: about one question, about memory, about the device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from whatif.engine.errors import WhatifError

# Errors that processors and models raise for an unsuitable input.
_OF_A_QUESTION = (ValueError, IndexError, RuntimeError)
# PyTorch's messages when the machine (not a GPU) is out of memory, which is a plain RuntimeError.
_NO_MEMORY = ("can't allocate memory", "not enough memory")
_BEYOND_TABLE = "index out of range in self"  # PyTorch's message when an embedding has no such position or token


def out_of_memory(error: BaseException) -> bool:
    """Whether the GPU or the machine ran out of memory."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in _NO_MEMORY)


def device_failed(error: BaseException) -> bool:
    """Whether the device is unusable: after such an error every further call on it fails, for any input."""
    import torch

    return isinstance(error, torch.AcceleratorError) and not out_of_memory(error)


@contextmanager
def model_faults(batch: str) -> Iterator[None]:
    """Raises WhatifError when `batch` ("8 captions at once") does not fit into memory, or the device fails.

    For batches of a fixed size; models that answer questions reduce theirs instead
    (`whatif.models.local.generation`).
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if out_of_memory(error):
            raise WhatifError(f"out of memory with {batch}; set a smaller batch_size") from error
        if device_failed(error):
            raise WhatifError(f"the device failed: {first_line(error)}; run again") from error
        raise


def about_one_question(error: BaseException) -> bool:
    """Whether other questions may still be answered after this error."""
    return (
        (isinstance(error, _OF_A_QUESTION) or _is_of_template(error))
        and not out_of_memory(error)
        and not device_failed(error)
    )


def _is_of_template(error: BaseException) -> bool:
    """Whether the chat template rejected the question, or Jinja's sandbox the template."""
    from jinja2 import TemplateError

    return isinstance(error, TemplateError)


def reason_of(error: BaseException) -> str:
    """Why a question cannot be asked, in one line."""
    line = first_line(error)
    if isinstance(error, IndexError) and line == _BEYOND_TABLE:
        return f"{line}: prompt and response have more tokens than it has positions, or a token that it does not have"
    return line


def first_line(error: BaseException) -> str:
    """The first line of an error's message; its type if there is none."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
