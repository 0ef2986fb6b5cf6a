"""Reads predictions made elsewhere: plain files, OpenAI batches, C-VQA authors, VLMEvalKit, lmms-eval.

Every format gives the same rows: the question as that format identifies it, and the model's response. A file without
responses may have the losses of options instead (`option_losses`).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.cells import damage_in, is_cell_time, raw_row
from whatif.engine.files.well_formed import well_formed
from whatif.engine.language.chat_completions import REASONING_FIELDS, reasoning_of
from whatif.engine.language.finish_reasons import ending, withheld
from whatif.formats.batch_output import batch_prediction
from whatif.formats.c_vqa import VARIANTS
from whatif.formats.c_vqa_records import COLUMNS as RELEASED_COLUMNS
from whatif.formats.failed_requests import failed_ending, failure_in
from whatif.formats.option_losses import LOSSES, has_losses, losses_of
from whatif.formats.prediction_fields import (
    Prediction,
    as_text,
    found_columns,
    index_of,
    listed,
    printable,
    question_id_of,
    whole_number,
)
from whatif.formats.table_records import Record, read_records

# The columns of the responses to `query` and to `new query` in the files of the authors' scripts.
RESPONSE_COLUMNS = ("response", "new_response")
SAMPLE = "sample"  # column with the number of a response among several to a question, from 0
_SPELT_LIKE_THE_QUERIES = ("response", "new response")
# The columns of the programs for `query` and for `new query`; in a plain file, the first one.
PROGRAM_COLUMNS = ("code", "new code")
_NOTHING = ("", "none", "null", "nan", "n/a", "false", "0", "no", "[]", "{}")  # cells that name no error
_LONGEST_REASON = 200
_NO_RESPONSE = "None"  # what VLMEvalKit writes for a request without a response
_FORMATS = (
    "`question_id` and `response` (plain; in JSON also one object {question_id: response}), "
    "`index` and `prediction` (VLMEvalKit), `custom_id` and `response` (OpenAI batch), `doc_id` and `filtered_resps` "
    f"(lmms-eval), the columns of C-VQA and its responses, or losses ({LOSSES})"
)


def read_predictions(path: Path, response_columns: Sequence[str] | None = None, samples: int = 1) -> list[Prediction]:
    """The predictions of a file, in file order; the columns determine the format.

    The file is .csv, .tsv, .json or .jsonl, each also compressed (`.jsonl.gz`), or .xlsx.

    `response_columns` names the responses to the original and to the counterfactual question in a file that has the
    columns of a released C-VQA file; the default is `response` and `new_response` (or `new response`). In a file with
    responses, columns of losses are not read. Programs in the columns `code` and `new code` (`code` in a plain file)
    are kept with the responses. In a plain file and in those of VLMEvalKit, so is the reasoning of a column
    `reasoning_content`, `reasoning` or `thinking`; a row whose column `error` is not empty, or whose `finish_reason`
    says that the reply failed or may not be whole, is a failure; one that was withheld is no answer.

    With several `samples`, the file is a plain one whose column `sample` numbers the responses to each question from 0.

    Raises WhatifError with file, row and field when `read_records` refuses the file, when the columns match no known
    format or two formats, when a question is not named, is duplicated or lacks a sample, when a response is missing or
    not text, and when `losses_of` refuses a loss.
    """
    columns, records = read_records(path)
    found = set(columns)
    if samples > 1 and not {"question_id", "response", SAMPLE} <= found:
        raise WhatifError(
            f"{path}: with `samples: {samples}` it needs the columns question_id, response and {SAMPLE}; "
            f"{found_columns(columns)}"
        )
    if {"img_path", "query", "new query"} <= found:
        predictions = list(_released(path, columns, records, _response_columns(path, columns, response_columns)))
    elif response_columns is not None:
        raise WhatifError(
            f"{path}: `response_columns` is for files with the columns {', '.join(RELEASED_COLUMNS)}; "
            f"found: {listed(columns)}"
        )
    elif {"custom_id", "response"} <= found:
        predictions = [batch_prediction(path, record) for record in records]
    elif "doc_id" in found or "doc" in found:
        predictions = [_sample(path, record) for record in records]
    elif {"response", "prediction"} <= found:
        raise WhatifError(f"{path}: has columns `response` and `prediction`; keep the one with the model's responses")
    elif {"question_id", "response"} <= found:
        predictions = [_plain(path, record, "response") for record in records]
        if samples > 1:
            predictions = [
                replace(one, sample=_sample_number(path, record, samples))
                for one, record in zip(predictions, records, strict=True)
            ]
    elif "prediction" in found and found & {"question_id", "index"}:
        predictions = [_of_vlmevalkit(path, record, is_named="question_id" in found) for record in records]
    elif has_losses(columns):
        predictions = losses_of(path, columns, records)
    else:
        raise WhatifError(f"{path}: the columns match no known format; needed: {_FORMATS}; {found_columns(columns)}")
    _refuse_twice(path, predictions)
    _check_samples(path, predictions, samples)
    return predictions


def question_index(question_id: str) -> int:
    """The number of a question in tools that need one: a hash of its id, below 10 ** 12.

    Spreadsheets keep 15 digits, so numbers of this size are not rounded.
    """
    return int.from_bytes(hashlib.sha256(question_id.encode()).digest()[:8]) % 10**12


def _plain(path: Path, record: Record, field: str) -> Prediction:
    question_id = question_id_of(path, record)
    response = _prediction(path, record, field)
    program = _program(path, record, PROGRAM_COLUMNS[0])
    return replace(response, question_id=question_id, program=program)


def _of_vlmevalkit(path: Path, record: Record, *, is_named: bool) -> Prediction:
    """The prediction in a row of VLMEvalKit, which keeps the column `question_id` of a question that has one."""
    found = _plain(path, record, "prediction") if is_named else _indexed(path, record)
    if found.response.strip() != _NO_RESPONSE:
        return found
    return replace(found, failure=f"VLMEvalKit got no response (`{_NO_RESPONSE}`)")


def _indexed(path: Path, record: Record) -> Prediction:
    return replace(_prediction(path, record, "prediction"), index=index_of(path, record))


def _response_columns(path: Path, columns: Sequence[str], named: Sequence[str] | None) -> Sequence[str]:
    """The column names of the responses to the original and to the counterfactual question."""
    spelt = _SPELT_LIKE_THE_QUERIES if "new_response" not in columns and "new response" in columns else RESPONSE_COLUMNS
    chosen = tuple(named or spelt)
    for column in chosen:
        if column not in columns:
            raise WhatifError(
                f"{path}: column `{column}` is missing; name the responses to `query` and to `new query` as "
                f"`response_columns: [original, counterfactual]`; {found_columns(columns)}"
            )
        if column in RELEASED_COLUMNS or chosen.count(column) > 1:
            raise WhatifError(
                f"{path}: response_columns are {', '.join(chosen)}; name two columns of responses, not in "
                f"{', '.join(RELEASED_COLUMNS)}"
            )
    return chosen


def _released(
    path: Path, columns: Sequence[str], records: Sequence[Record], response_columns: Sequence[str]
) -> Iterator[Prediction]:
    """Two predictions for each record: of the original question and of its counterfactual."""
    for number, record in enumerate(records, 1):
        name = as_text(path, record, "img_path")
        if not name.strip():
            raise WhatifError(f"{path}: {record.place}: img_path is empty; every row needs the name of its image")
        of_variants = zip(VARIANTS.items(), response_columns, PROGRAM_COLUMNS, strict=True)
        for (variant, (query, _)), column, program in of_variants:
            yield replace(
                _response(path, record, column),
                place=f"{record.place}, {column}",
                picture=PurePosixPath(name).stem,
                question=as_text(path, record, query),
                variant=variant,
                row=number,
                program=None if program == column else _program(path, record, program),
            )


def _sample(path: Path, record: Record) -> Prediction:
    """The prediction in one line of lmms-eval's log of samples."""
    where = f"{path}: {record.place}"
    question_id = _question_id(record.fields)
    if question_id is None:
        raise WhatifError(
            f"{where}: names no question_id, neither in `doc` nor with the score; evaluate the task that "
            "`whatif export lmms-eval` writes"
        )
    field = "filtered_resps" if "filtered_resps" in record.fields else "resps"
    if field not in record.fields:
        raise WhatifError(f"{where}: has neither filtered_resps nor resps; {found_columns(list(record.fields))}")
    response = record.fields[field]
    while isinstance(response, list) and response:
        response = response[0]  # the first answer of the only request
    is_null = response is None or response == []
    if is_null:
        response = ""
    if not isinstance(response, str):
        raise WhatifError(f"{where}: {field} holds no text; it needs the model's response as text in a list")
    return Prediction(
        record.place,
        well_formed(response),
        question_id=question_id.strip(),
        is_null=is_null,
        # A filter may have found an answer in the text of a failure; which of several texts it read is not known.
        failure=next(filter(None, map(failure_in, _texts_in([record.fields.get("resps"), response]))), None),
    )


def _texts_in(values: list[Any]) -> Iterator[str]:
    """The texts in lists and objects of any depth, in order."""
    waiting = values[::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | dict):
            waiting += list(value.values() if isinstance(value, dict) else value)[::-1]


def _question_id(fields: Mapping[str, Any]) -> str | None:
    """The id from the question itself or, if the tool does not keep it, from our task's entry for the score."""
    said = [fields.get("doc"), fields, *(fields[name] for name in sorted(fields))]
    ids = (one["question_id"] for one in said if isinstance(one, dict) and "question_id" in one)
    return next((one for one in ids if isinstance(one, str) and one.strip()), None)


def _prediction(path: Path, record: Record, column: str) -> Prediction:
    """The response of a row with what other columns say about it: reasoning, how the reply ended, and an error."""
    found = _response(path, record, column)
    cells = raw_row(record.fields)  # a spreadsheet may have changed or cut one of them
    error, finish = (_words(cells.get(name)) for name in ("error", "finish_reason"))
    failure = f"error: {error}" if error else failed_ending(finish)
    return replace(
        found,
        failure=found.failure or failure or None,
        reasoning=reasoning_of({name: cells.get(name) for name in REASONING_FIELDS}),
        cut_off=ending(finish) == "limit",
        withheld=withheld(found.response, None, finish),
    )


def _words(cell: Any) -> str:
    """What a cell says about a reply, in one line; empty where it says that there is nothing."""
    text = well_formed(" ".join(str(cell or "").split()))[:_LONGEST_REASON]
    return "" if text.lower() in _NOTHING else text


def _response(path: Path, record: Record, column: str) -> Prediction:
    """The response in a field, without its question; a failure if a spreadsheet changed it.

    Raises WhatifError when the row lacks the field.
    """
    if column not in record.fields:
        raise WhatifError(
            f'{path}: {record.place}: has no `{column}`; give the response, `""` if it was empty; '
            f"{found_columns(list(record.fields))}"
        )
    if (damage := damage_in(record.fields, column)) is not None:
        return Prediction(record.place, "", failure=f"{column} {damage.what}")
    value = record.fields[column]
    is_null = value is None or (isinstance(value, float) and math.isnan(value))
    response = as_text(path, record, column)
    failure = failure_in(response)
    if not {".json", ".jsonl"} & {suffix.lower() for suffix in path.suffixes} and is_cell_time(response):
        failure = f"{column} is {response.strip()}, a date or time that a spreadsheet made of something else"
    return Prediction(record.place, response, is_null=is_null, failure=failure)


def _program(path: Path, record: Record, column: str) -> str | None:
    """The program beside a response; None where the file has none."""
    return as_text(path, record, column) or None


def _sample_number(path: Path, record: Record, samples: int) -> int:
    written = as_text(path, record, SAMPLE).strip()
    number = whole_number(written)
    if number is None or not 0 <= number < samples:
        raise WhatifError(
            f"{path}: {record.place}: {SAMPLE} is `{printable(written)}`; with `samples: {samples}` it must be a whole "
            f"number from 0 to {samples - 1}"
        )
    return number


def _refuse_twice(path: Path, predictions: Sequence[Prediction]) -> None:
    """Rejects a second response to an id. C-VQA-Real as released repeats a row, so image and text may repeat."""
    first: dict[tuple[str | None, int | None, int], Prediction] = {}
    for one in predictions:
        key = (one.question_id, one.index, one.sample)
        if one.picture is None and (earlier := first.setdefault(key, one)) is not one:
            raise WhatifError(
                f"{path}: {one.place}: {one.label} is already in {earlier.place}; give one row for each question, or "
                f"number several responses in a column `{SAMPLE}` and set `samples`"
            )


def _check_samples(path: Path, predictions: Sequence[Prediction], samples: int) -> None:
    """Rejects a question that lacks a sample; no two of its rows have the same one."""
    given: dict[str, set[int]] = {}
    for one in predictions if samples > 1 else ():
        given.setdefault(one.label, set()).add(one.sample)
    lacking = [label for label, numbers in given.items() if len(numbers) < samples]
    if lacking:
        absent = min(set(range(samples)) - given[lacking[0]])
        raise WhatifError(
            f"{path}: {lacking[0]} has no sample {absent}; with `samples: {samples}` each question needs the samples 0 "
            f"to {samples - 1}; questions without one of them: {len(lacking):,} of {len(given):,}"
        )
