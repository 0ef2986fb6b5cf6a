"""The settings of a benchmark in a YAML file, by stage; sections of `params.yaml` may override them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from whatif.benchmarks.from_yaml.expressions import ExpressionError, check
from whatif.benchmarks.shared.human_attempts import HumanAttempts
from whatif.benchmarks.shared.question_labels import VerifyQuestions
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.engine.params.judge import JudgeSettings, Judging
from whatif.engine.params.model_entries import RankingRule
from whatif.engine.params.probes import Probing

MOST_OPTIONS = 8
MOST_DRAWS = 50
LONGEST_QUESTION = 1_000  # characters of the text of a template
IF = ("{if}", "{If}")  # the place of the presupposition; the second begins a sentence
NAME = r"[a-z][a-z0-9_]*"  # of blanks
SLUG = r"[a-z0-9]+(-[a-z0-9]+)*"  # of templates
_LONGEST_NAME = 40
_BLANK = re.compile(r"\{([^{}]*)\}")


def _expression(text: str) -> str:
    try:
        return check(text)
    except ExpressionError as error:
        raise ValueError(str(error)) from None


def _quoted(given: Any, info: ValidationInfo) -> Any:
    """What YAML reads as no text, although a text is wanted, with the line that gives the text."""
    key = "if" if info.field_name == "presupposition" else info.field_name
    if isinstance(given, bool):
        # YAML reads yes and no as true and false.
        raise ValueError(
            f"without quotes, yes and no are true and false in YAML; write `{key}: '\"{'yes' if given else 'no'}\"'`"
        )
    if isinstance(given, int | float):
        raise ValueError(f'it must be a text; write `{key}: "{given}"`')
    if isinstance(given, dict) and len(given) == 1 and None in given.values():
        raise ValueError(f'a text that begins with a brace needs quotes; write `{key}: "{{{next(iter(given))}}}"`')
    if isinstance(given, list):
        raise ValueError("it must be a single text; lists of words belong to `blanks` and `options`")
    return given


Expression = Annotated[str, BeforeValidator(_quoted), AfterValidator(_expression)]
Text = Annotated[str, BeforeValidator(_quoted), Field(pattern=r"\S", max_length=LONGEST_QUESTION)]


def _slug(name: str) -> str:
    if not re.fullmatch(SLUG, name) or len(name) > _LONGEST_NAME:
        like = "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:_LONGEST_NAME].strip("-") or "my-template"
        raise ValueError(f"a name is lower-case words joined by hyphens; write `{like}:`")
    return name


class DrawnScenes(Settings):
    """Scenes of the embedded world: their number, the side of their images in pixels, and their kind."""

    number: int = Field(ge=1, le=100_000)
    side: int = Field(default=224, ge=32, le=512)
    kind: Literal["one", "pair", "counted"] | None = None  # null: all kinds


class PictureTable(Settings):
    """A table with a row for each picture, or for several: CSV, JSONL or Parquet."""

    file: SourcePath = Field(min_length=1, examples=["table.csv"])
    folder: SourcePath = Field(min_length=1, examples=["pictures"])  # of the pictures
    picture: str = Field(default="picture", min_length=1)  # column with the path of a picture in the folder, or a list
    id: str | None = Field(default=None, min_length=1)  # column that identifies a row; null: the row's number
    licence: str = Field(min_length=1, examples=["CC0-1.0", "unknown"])  # of the pictures
    text: list[str] = Field(default=[])  # columns of a CSV file that stay text although all of their cells are numbers


class ExtractRows(Settings):
    """What questions are about: drawn scenes, or a table with pictures."""

    scenes: DrawnScenes | None = None
    table: PictureTable | None = None
    limit: int | None = Field(default=None, ge=1)  # rows of the table, drawn by seed and id; null: all

    @model_validator(mode="after")
    def _one_source(self) -> ExtractRows:
        if (self.scenes is None) == (self.table is None):
            raise ValueError("must have either `scenes` or `table`")
        return self


class Answers(Settings):
    """The right answers, each as an expression."""

    original: Expression = Field(examples=["number"])
    counterfactual: Expression = Field(examples=["number - 1"])


class Template(Settings):
    """A pair of questions with blanks, asked about every row that satisfies `where`, and its answers."""

    blanks: Mapping[Annotated[str, Field(pattern=f"^{NAME}$")], str | list[str | int | float]] = {}
    where: Expression = "True"
    original: Text = Field(examples=["How many things are there?"])
    counterfactual: Text = Field(examples=["How many things would there be {if}?"])
    presupposition: Text = Field(alias="if", examples=["if one thing were taken away"])
    answer: Answers = Field(examples=["{original: number, counterfactual: number - 1}"])
    change: Literal["always", "never", "either"] = Field(
        examples=["always", "never", "either"]
    )  # whether the right answers of a pair differ
    options: int | list[str] = 4
    kind: Expression | None = None
    share: float = Field(default=1.0, gt=0, le=1000)  # of the pairs, relative to the other templates

    @field_validator("blanks", "options", mode="before")
    @classmethod
    def _no_truth_values(cls, given: Any) -> Any:
        lists = given.values() if isinstance(given, dict) else [given]
        if any(isinstance(word, bool) for words in lists if isinstance(words, list) for word in words):
            raise ValueError("a word is read as true or false; put quotes around words such as yes and no")
        empty = [name for name, words in given.items() if words is None] if isinstance(given, dict) else []
        if empty:
            first = next(iter(given))
            raise ValueError(f"{empty[0]}: has no words; a list is in brackets: `blanks: {{{first}: [red, blue]}}`")
        return given

    @field_validator("blanks")
    @classmethod
    def _lists(cls, blanks: Mapping[str, str | list[str | int | float]]) -> Mapping[str, str | list[str | int | float]]:
        for name, words in blanks.items():
            if keyword.iskeyword(name):
                raise ValueError(f"{name}: is a word of expressions; give the blank another name, such as the_{name}")
            if not words:
                raise ValueError(f"{name}: is empty; give a list of words, or an expression whose value is a list")
            if isinstance(words, str):
                try:
                    check(words)
                except ExpressionError as error:
                    raise ValueError(f"{name}: {error}") from None
        return blanks

    @field_validator("original", "counterfactual", "presupposition")
    @classmethod
    def _whole_braces(cls, text: str) -> str:
        rest = _BLANK.sub("", text)
        if found := next((brace for brace in "{}" if brace in rest), None):
            raise ValueError(f"has a {found} that belongs to no name; braces are for blanks and attributes: {{colour}}")
        return text

    @field_validator("original", "presupposition")
    @classmethod
    def _no_presupposition(cls, text: str) -> str:
        if any(place in text for place in IF):
            raise ValueError("has {if}; only the counterfactual question has a presupposition")
        return text

    @field_validator("counterfactual")
    @classmethod
    def _has_presupposition(cls, text: str) -> str:
        if not any(place in text for place in IF):
            raise ValueError("has no {if}; write {if} where the presupposition belongs, or {If} where it comes first")
        return text

    @field_validator("options")
    @classmethod
    def _several(cls, options: int | list[str]) -> int | list[str]:
        number = options if isinstance(options, int) else len(set(options))
        if not 2 <= number <= MOST_OPTIONS or (isinstance(options, list) and number < len(options)):
            raise ValueError(f"a question needs 2 to {MOST_OPTIONS} different options")
        return options

    def texts(self) -> dict[str, str]:
        """The texts with blanks, by their keys in the file."""
        return {"original": self.original, "counterfactual": self.counterfactual, "if": self.presupposition}

    def expressions(self) -> dict[tuple[str, ...], str]:
        """The expressions that see all blanks, by their keys in the file."""
        found = {
            ("where",): self.where,
            ("answer", "original"): self.answer.original,
            ("answer", "counterfactual"): self.answer.counterfactual,
        }
        return found if self.kind is None else {**found, ("kind",): self.kind}


def blanks_in(text: str) -> list[str]:
    """The names between braces in a text, without that of the presupposition."""
    return [name for name in _BLANK.findall(text) if "{" + name + "}" not in IF]


class GenerateQuestions(Settings):
    """The templates, how often a row is asked about by each, and the number of parts of the work."""

    templates: dict[Annotated[str, AfterValidator(_slug)], Template] = Field(min_length=1)
    candidates_per_row: int = Field(default=8, ge=1, le=1000)  # combinations of blanks, for each template
    shards: int = Field(default=1, ge=1, le=999)


class FilterQuestions(Settings):
    """How many pairs are chosen among the candidates."""

    pairs: int = Field(ge=1, le=1_000_000, examples=[100])
    pairs_per_row: int | None = Field(default=None, ge=1)  # null: no limit
    draws: int = Field(default=5, ge=1, le=MOST_DRAWS)  # most choices of pairs, until the shortcut audit finds nothing


class EvaluateQuestions(Judging, Probing, HumanAttempts):
    """How models are asked. `rank`: as `multiple_choice` of each model says; `generate`: in words, if it can."""

    ask: Literal["rank", "generate"] = "rank"


class AggregateQuestions(Settings):
    """How the results are computed."""

    confidence: float = Field(default=0.95, gt=0.5, lt=1)
    rule: RankingRule = "mean"  # how the likelihoods of options are compared if a model ranks them
    audit_folds: int = Field(default=5, ge=2, le=20)


class FromYamlSettings(BenchmarkSettings):
    """The sections of a benchmark in a YAML file."""

    extract: ExtractRows = Field(examples=["{scenes: {number: 200}}"])
    generate: GenerateQuestions
    filter: FilterQuestions = Field(examples=["{pairs: 100}"])
    verify: VerifyQuestions = VerifyQuestions()
    evaluate: EvaluateQuestions = EvaluateQuestions()
    aggregate: AggregateQuestions = AggregateQuestions()


class YamlFile(FromYamlSettings):
    """A whole file: what the benchmark says of itself, and its sections."""

    title: str = Field(pattern=r"\S", max_length=100, examples=["My benchmark"])
    about: str = Field(
        pattern=r"\S", max_length=1_000, examples=["Questions about things that are taken away."]
    )  # what is counterfactual in it, and how models are asked
    citation: str = ""
    licence: str = ""  # of the questions, for a card


class CandidateSettings(NamedTuple):
    """What the candidates depend on."""

    templates: Mapping[str, Template]
    candidates_per_row: int


class ChoiceSettings(NamedTuple):
    """What the choice among the candidates depends on."""

    templates: Mapping[str, Template]
    filter: FilterQuestions


class ReportSettings(NamedTuple):
    """The settings of the report."""

    confidence: float
    rule: RankingRule
    draws: int
    judge: JudgeSettings | None = None
