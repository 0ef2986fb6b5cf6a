"""What a run needs, computed from parameters and rates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_line import refused, whatif
from tests.defaults import ROOT, puzzles_and_baselines
from whatif.commands.plan import planned
from whatif.engine.cluster.run_plan import Row

pytestmark = pytest.mark.slow
SCALE, RATES = ROOT / "docs/paper-scale.yaml", ROOT / "docs/paper-rates.yaml"
PUZZLES = "evaluate cvqa-synthetic * part-*"


@pytest.fixture
def paid(folder: Path) -> dict[str, Any]:
    """Rates of a project of 2 x 6 puzzles in two parts, which asks two baselines, an endpoint and a checkpoint."""
    values = puzzles_and_baselines()
    values["generate"]["cvqa-synthetic"].update(puzzles_per_template=2, shards=2)
    values["models"] |= {
        "paid": {
            **{"adapter": "api", "model": "m", "base_url": "http://localhost:1/v1"},
            **{"price_per_million_prompt_tokens": 2.0, "price_per_million_response_tokens": 10.0},
        },
        "local": {"adapter": "hf-chat", "checkpoint": "some/where", "device": "cuda", "multiple_choice": "words"},
    }
    write("params.yaml", values)
    items = [12, "generate.cvqa-synthetic.puzzles_per_template"]
    rate = {"jobs": PUZZLES, "items": items, "gpu_seconds": 150, "bytes": 100}
    return {"price_per_gpu_hour": 3, "work": {"answers": {**rate, "prompt_tokens": 1000, "response_tokens": 50}}}


def write(name: str, values: dict[str, Any]) -> Path:
    Path(name).write_text(yaml.safe_dump(values), encoding="utf-8")
    return Path(name)


def rows(rates: dict[str, Any]) -> dict[str, Row]:
    return {row.work: row for row in planned(Path("params.yaml"), rates_file=write("rates.yaml", rates))}


def test_amounts_are_those_of_the_jobs_and_rates(paid: dict[str, Any]) -> None:
    answers = rows(paid)["answers"]
    # Two parts of five models, of which three are baselines; the endpoint needs no GPU.
    assert (answers.jobs, answers.models, answers.items) == (10, 2, 48)
    tokens_cost = 24 * (1000 * 2 + 50 * 10) / 1e6
    assert answers.amounts == pytest.approx(
        {"requests": 24, "tokens": 24 * 1050, "GPU hours": 1, "stored": 4800, "money": 3 + tokens_cost}
    )


@pytest.mark.parametrize(
    ("missing", "unknown"),
    [
        ("items", {"requests", "tokens", "GPU hours", "stored", "money"}),
        ("gpu_seconds", {"GPU hours", "money"}),
        ("bytes", {"stored"}),
        ("response_tokens", {"tokens", "money"}),
    ],
)
def test_what_has_no_rate_is_unknown(paid: dict[str, Any], missing: str, unknown: set[str]) -> None:
    del paid["work"]["answers"][missing]
    amounts = rows(paid)["answers"].amounts
    assert {name for name, amount in amounts.items() if amount is None} == unknown


def test_without_prices_money_is_unknown(paid: dict[str, Any]) -> None:
    del paid["price_per_gpu_hour"]
    assert rows(paid)["answers"].amounts["money"] is None
    (priced, *_) = planned(Path("params.yaml"), rates_file=Path("rates.yaml"), gpu_hour=3)
    assert priced.amounts["money"] == pytest.approx(3.06)


def test_steps_without_a_rate_are_named_and_all_jobs_are_counted(paid: dict[str, Any]) -> None:
    found = rows({})
    assert set(found) == {"evaluate cvqa-synthetic", "jobs without a model"}
    without_model = {"requests": 0, "tokens": 0, "GPU hours": 0, "stored": None, "money": 0}
    assert found["jobs without a model"].amounts == without_model
    assert sum(row.jobs for row in found.values()) == sum(row.jobs for row in rows(paid).values())


def test_each_model_may_have_a_line(paid: dict[str, Any]) -> None:
    together = rows(paid)["answers"]
    found = planned(Path("params.yaml"), rates_file=Path("rates.yaml"), by_model=True)
    of_models = {row.work: row for row in found if row.work.startswith("answers, ")}
    assert set(of_models) == {f"answers, {key}" for key in ("random", "first-option", "majority", "paid", "local")}
    hours = {name: row.amounts["GPU hours"] for name, row in of_models.items() if row.amounts["GPU hours"]}
    assert hours == {"answers, local": together.amounts["GPU hours"]}
    assert sum(row.jobs for row in of_models.values()) == together.jobs


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"items": "generate.cvqa-synthetic.puzzles"},
            "rate of answers: the setting generate.cvqa-synthetic.puzzles is None; it must be a number, a list or a",
        ),
        ({"jobs": "evaluate cvqa-synthetic *"}, "rate of answers: no job is named evaluate cvqa-synthetic *; "),
        ({"seconds": 3}, "rates.yaml:6: work.answers.seconds: unknown key"),
    ],
)
def test_a_mistake_in_the_rates_is_one_line(paid: dict[str, Any], change: dict[str, Any], told: str) -> None:
    paid["work"] = {"answers": {"jobs": PUZZLES, "items": 1} | change}
    write("rates.yaml", paid)
    assert refused(whatif("plan", "--rates", "rates.yaml")).startswith(told)


def test_the_command_prints_the_plan_of_the_papers() -> None:
    result = whatif("plan", "--params", SCALE, "--rates", RATES, "--gpu-hour", "2", "coco-counterfactuals")
    lines = {line[:40].strip(): line[40:].split("  ") for line in result.stdout.splitlines()}
    # 24,508 x 100 candidates of 3 s in 64 parts.
    assert [cell.strip() for cell in lines["candidate image pairs"] if cell.strip()] == [
        *("64", "2,450,800", "2,042", "2.6 GB", "4,085")
    ]
    assert lines["generate coco-counterfactuals candidates"][-1].strip() == "unknown"
    assert result.stdout.splitlines()[-1].count("at least") == 3
