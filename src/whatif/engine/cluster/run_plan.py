"""What a run needs: jobs, GPU hours, storage, tokens and money, from its graph and a file of rates.

The number of jobs follows from the settings alone. All else is a product of rates that the file states, so nothing is
guessed: what has no rate is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import prod
from typing import Annotated, Any

from pydantic import Field

from whatif.engine.cluster.resources import Kind, kind_of, models_of, wants_gpu
from whatif.engine.errors import WhatifError
from whatif.engine.graph.dimensions import PART
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.params.base import Settings
from whatif.engine.params.endpoints import ApiModel
from whatif.engine.params.generators import ImagesApiGenerator
from whatif.engine.params.prices import money

UNKNOWN = "unknown"
_WITHOUT_MODEL = "jobs without a model"
_Number = Annotated[float, Field(ge=0)]
# A number, or the product of numbers and of settings by their dotted path; a list or mapping counts its entries.
Product = _Number | str | list[_Number | str]


class Rate(Settings):
    """What one item of some jobs takes. An amount that is not given is unknown."""

    jobs: str  # a pattern of their names, word by word, such as `evaluate cvqa-real * direct *`
    # In all parts together, for each model and each other value of what divides the jobs.
    items: Product | None = None
    gpu_seconds: Product | None = None
    bytes: Product | None = None  # that it leaves on disk
    prompt_tokens: Product | None = None  # of requests to an endpoint
    response_tokens: Product | None = None


class Rates(Settings):
    """A file of rates: the work by its name in the table. A job belongs to the first pattern that fits it."""

    price_per_gpu_hour: _Number | None = None  # in the currency of the prices in params.yaml
    work: Mapping[str, Rate] = Field(default={})


@dataclass(frozen=True)
class Row:
    """A line of the plan. `amounts` has a number for each of COLUMNS: None where it is not known."""

    work: str
    jobs: int
    models: int
    items: float | None
    amounts: Mapping[str, float | None]


def plan(graph: Graph, rates: Rates, values: Mapping[str, Any], by_model: bool = False) -> list[Row]:
    """The rows of a plan: those of the rates, then those of each other step with a model, and of all other jobs.

    values: all settings, in which the products of the rates look up theirs.
    by_model: a row for each model that is asked, instead of one for all of them.

    Raises WhatifError for a rate that fits no job of its benchmark, and for a setting that is not there.
    """
    found: dict[str, dict[str, list[Job]]] = {name: {} for name in rates.work}
    for job in graph.jobs:
        name = next((name for name, rate in rates.work.items() if _fits(job.name, rate.jobs)), None)
        if name is None:
            step = " ".join(filter(None, (job.step.stage, job.step.benchmark, job.step.name)))
            name = _WITHOUT_MODEL if kind_of(job) is Kind.CPU else step
        label = f"{name}, {job.model_key}" if by_model and job.model_key and name != _WITHOUT_MODEL else name
        found.setdefault(name, {}).setdefault(label, []).append(job)
    for name, rate in rates.work.items():
        if not found[name] and set(rate.jobs.split()) & set(graph.benchmarks):
            raise WhatifError(f"rate of {name}: no job is named {rate.jobs}; `whatif status` lists the names")
    return [
        _row(label, jobs, rates.work.get(name) or Rate(jobs=name), rates.price_per_gpu_hour, values)
        for name in sorted(found, key=lambda name: name == _WITHOUT_MODEL)
        for label, jobs in found[name].items()
    ]


def _fits(name: str, pattern: str) -> bool:
    words, patterns = name.split(), pattern.split()
    return len(words) == len(patterns) and all(map(fnmatchcase, words, patterns))


def table(rows: Sequence[Row]) -> list[list[str]]:
    """The plan as text, with its header and a line of sums; columns in which there is nothing are left out."""
    lines = [["work", "jobs", "models", "items", *COLUMNS]]
    for row in rows:
        amounts = [_text(row.amounts[name], write) for name, write in COLUMNS.items()]
        lines.append([row.work, f"{row.jobs:,}", str(row.models or ""), _text(row.items, _count), *amounts])
    lines.append(["all", f"{sum(row.jobs for row in rows):,}", "", ""])
    for name, write in COLUMNS.items():
        known = [amount for row in rows if (amount := row.amounts[name]) is not None]
        at_least = "at least " if len(known) < len(rows) else ""
        lines[-1].append(at_least + write(sum(known)) if any(known) else UNKNOWN)
    shown = [place for place in range(len(lines[0])) if any(line[place] for line in lines[1:-1])]
    return [[line[place] for place in shown] for line in lines]


def _row(name: str, jobs: Sequence[Job], rate: Rate, price: float | None, values: Mapping[str, Any]) -> Row:
    # Baselines among the models that a step asks are not counted.
    working = [job for job in jobs if kind_of(job) is not Kind.CPU] or jobs
    each = list({_combination(job): job for job in working}.values())
    paid = [job for job in each if _paid(job)]
    on_gpu = sum(map(wants_gpu, each))

    def amount(product: Product | None, times: int) -> float | None:
        return _times(_product(product, values, name), _product(rate.items, values, name), times) if times else 0.0

    seconds = amount(rate.gpu_seconds, on_gpu)
    tokens = _sum([amount(rate.prompt_tokens, len(paid)), amount(rate.response_tokens, len(paid))])
    costs = [_cost(job, amount(rate.prompt_tokens, 1), amount(rate.response_tokens, 1)) for job in paid]
    costs.append(0.0 if not on_gpu else _times(seconds, price, 1 / 3600))
    amounts = {
        "requests": amount(1, len(paid)),
        "tokens": tokens,
        "GPU hours": _times(seconds, 1 / 3600),
        "stored": amount(rate.bytes, len(each)),
        "money": _sum(costs),
    }
    return Row(name, len(jobs), _models(jobs), amount(1, len(each)), amounts)


def _combination(job: Job) -> tuple[str, ...]:
    """The values of all dimensions of a job but its part."""
    return tuple(job.wildcards[one.name] for one in job.step.divided_by if one.pattern != PART)


def _models(jobs: Iterable[Job]) -> int:
    return len({job.model_key for job in jobs if kind_of(job) is not Kind.CPU} - {None})


def _paid(job: Job) -> list[ApiModel | ImagesApiGenerator]:
    """The models behind an endpoint that a job asks."""
    return [model for model in models_of(job) if isinstance(model, ApiModel | ImagesApiGenerator)]


def _cost(job: Job, prompt_tokens: float | None, response_tokens: float | None) -> float | None:
    """What these tokens cost at the one endpoint that a job asks; None where tokens or prices are not known."""
    (model, *more) = _paid(job)
    prices = model.prices if isinstance(model, ApiModel) and not more else None
    if prices is None or prompt_tokens is None or response_tokens is None:
        return None
    return prices.cost(prompt_tokens, response_tokens)


def _product(product: Product | None, values: Mapping[str, Any], name: str) -> float | None:
    if product is None:
        return None
    factors = product if isinstance(product, list) else [product]
    return prod(_setting(one, values, name) if isinstance(one, str) else one for one in factors)


def _setting(path: str, values: Mapping[str, Any], name: str) -> float:
    found: Any = values
    for key in path.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    if isinstance(found, list | Mapping):
        return len(found)
    if not isinstance(found, int | float):
        raise WhatifError(f"rate of {name}: the setting {path} is {found!r}; it must be a number, a list or a mapping")
    return found


def _times(*factors: float | None) -> float | None:
    known = [factor for factor in factors if factor is not None]
    return prod(known) if len(known) == len(factors) else None


def _sum(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def _text(amount: float | None, write: Callable[[float], str]) -> str:
    """An amount as text: empty for none."""
    return UNKNOWN if amount is None else write(amount) if amount else ""


def _count(number: float) -> str:
    return f"{round(number):,}"


def _hours(hours: float) -> str:
    return f"{hours:.1f}" if hours < 10 else f"{hours:,.0f}"


def _size(size: float) -> str:
    """Bytes in the largest unit of which there is one."""
    unit, name = next(((unit, name) for unit, name in _UNITS if size >= unit), _UNITS[-1])
    return f"{size / unit:.1f} {name}" if size < 10 * unit else f"{size / unit:,.0f} {name}"


def _price(price: float) -> str:
    return f"{price:,.0f}" if price >= 10 else money(price)


_UNITS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
# What a plan is about -> how it is written; `stored` is in bytes, `requests` and `tokens` are those of endpoints.
COLUMNS: Mapping[str, Callable[[float], str]] = {
    "requests": _count,
    "tokens": _count,
    "GPU hours": _hours,
    "stored": _size,
    "money": _price,
}
