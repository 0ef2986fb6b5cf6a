"""The settings of training with counterfactuals, by stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import Field, model_validator

from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED, WITHHELD, Mixture
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.engine.params.contrastive_training import ContrastiveTraining
from whatif.engine.params.resolution import Resolution

NAME = "coco-counterfactuals-training"
Key = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
PairsFrom: TypeAlias = Literal["scenes", "coco-counterfactuals", "coco-counterfactuals-released"]
SceneKind: TypeAlias = Literal["one", "pair", "counted"]
DrawnClasses: TypeAlias = Literal["things", "coloured-things", "colours", "backgrounds"]


class DrawnSamples(Settings):
    """Drawn scenes in place of photographs and pairs."""

    pairs: int = Field(ge=10, le=100_000)  # each with an original, its image, and its counterfactual
    unpaired: int = Field(default=0, ge=0, le=100_000)  # further originals, without a pair: for `withheld-ms-coco`
    captions_per_image: int = Field(default=2, ge=1, le=5)  # originals that describe the same photograph
    # Share of the images of pairs that do not show their captions. People judged 26.8% of the paper's images so.
    wrong: float = Field(default=0.25, ge=0, lt=1)


class RetrievalSet(Settings):
    """Captions with their images that are searched (5.1, A.5): of a file, or of drawn scenes."""

    captions: SourcePath | None = None  # JSON of Karpathy's splits or of MS-COCO, CSV, or JSONL
    image_folders: list[SourcePath] = Field(default_factory=list)
    split: str | None = None  # of a file that has splits, such as `test`
    scenes: int | None = Field(default=None, ge=10, le=100_000)  # number of drawn images, without a file
    kind: SceneKind = "one"  # of drawn scenes: of one thing, of a pair of things, or of counted things
    captions_per_image: Literal["first", "all"] = "first"

    @model_validator(mode="after")
    def _one_source(self) -> RetrievalSet:
        if (self.captions is None) == (self.scenes is None):
            raise ValueError("give either captions or scenes")
        if self.scenes is None and "kind" in self.model_fields_set:
            raise ValueError("kind: is of drawn scenes; remove it, or give scenes instead of captions")
        return self


class ClassificationSet(Settings):
    """Images with classes, recognised without training (5.2): of a folder, or drawn."""

    images: SourcePath | None = None  # a folder with a folder of images for each class, or a data set in Parquet
    split: str | None = None  # of a data set in Parquet, such as `test`
    classes: SourcePath | None = None  # the names of the classes, in the order of their labels; null: of the data set
    drawn: DrawnClasses | None = None  # drawn things, without a folder
    number: int | None = Field(default=None, ge=10, le=1_000_000)  # of drawn images
    label_column: str | None = None  # of a data set in Parquet; null: label, or fine_label
    leave_out: list[str] = Field(default_factory=list)  # classes that are not used, with their images
    merge: dict[str, str] = Field(default_factory=dict)  # classes whose images count as those of another one
    prompt: str = "a photo of a {}"
    names: Literal["as-given", "first"] = "as-given"  # `first`: of several names separated by commas, the first

    @model_validator(mode="after")
    def _one_source(self) -> ClassificationSet:
        if (self.images is None) == (self.drawn is None):
            raise ValueError("give either images or drawn")
        if (self.drawn is None) != (self.number is None):
            raise ValueError("give number with drawn, and only with it")
        if self.prompt.count("{}") != 1:
            raise ValueError("prompt: must contain {} once, where the name of the class goes")
        return self


class PredictionFiles(Settings):
    """Predictions that were made elsewhere, as .npy files of class indices (int64, one dimension)."""

    data_set: Key  # a row of Table 4: cifar10, cifar100, food101, caltech101, caltech256, imagenet, ...
    predictions: SourcePath  # one index for each image
    truth: SourcePath
    classes: SourcePath  # a text file with the names of the classes, one a line
    name: str = "Imported"  # of the model, as in the tables
    mixture: Mixture | Literal["pre-trained"] = PRE_TRAINED
    seed: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _seed_of_a_training(self) -> PredictionFiles:
        if (self.mixture == PRE_TRAINED) != (self.seed is None):
            raise ValueError("give seed with the mixture of a training, and only with it")
        return self


class PredictionFolder(Settings):
    """Predictions of a pre-trained model on several data sets, which were made elsewhere."""

    # A folder with predictions.parquet, such as one that ships with whatif.
    folder: SourcePath
    name: str = Field(min_length=1)  # of the model, as in the tables


class ExtractSamples(Settings):
    """Where pairs, originals and evaluation sets come from."""

    pairs: PairsFrom  # `scenes`: drawn ones; otherwise those of the named benchmark, which must be selected
    scenes: DrawnSamples
    captions: SourcePath | None = None  # captions_val2017.json: the originals of pairs that are not drawn
    image_folders: list[SourcePath] = Field(default_factory=list)  # folders of its photographs
    retrieval: dict[Key, RetrievalSet] = Field(min_length=1)
    classification: dict[Key, ClassificationSet] = Field(default_factory=dict)
    predictions: list[PredictionFiles] = Field(default_factory=list)
    prediction_folders: list[PredictionFolder] = Field(default_factory=list)

    @model_validator(mode="after")
    def _complete(self) -> ExtractSamples:
        if self.pairs != "scenes" and self.captions is None:
            raise ValueError(f"captions: is null, but pairs of {self.pairs} need the captions of their photographs")
        if WITHHELD in self.retrieval:
            raise ValueError(f"retrieval.{WITHHELD}: is the name of the withheld counterfactuals; choose another one")
        return self


class MixSamples(Settings):
    """Which mixtures are made, and how they are divided (B.3.1, A.1)."""

    mixtures: list[Mixture] = Field(min_length=1)
    leak_free: list[Mixture] = Field(default_factory=list)  # mixtures that are also divided without a leak
    validation_share: float = Field(default=0.2, gt=0, lt=0.5)
    withheld_share: float = Field(default=0.3, gt=0, lt=0.9)  # of the pairs, for Table 5
    # A folder of released split files (train_mscoco.csv, dev_mscoco.csv, ...), which then decide; null: drawn by seed.
    released_splits: SourcePath | None = None

    @model_validator(mode="after")
    def _known(self) -> MixSamples:
        if missing := sorted(set(self.leak_free) - set(self.mixtures)):
            raise ValueError(f"leak_free: {missing[0]} is not among the mixtures")
        return self


class VerifySamples(Settings):
    """Which samples people matched correctly, for the mixture `correct` (A.4)."""

    resolution: Resolution = Resolution()  # as that of the benchmark whose pairs they are


class TrainedModel(Settings):
    """How one model is trained: once for each seed and each mixture."""

    # The order of the samples has the next seed, as in the paper: 107 and 108, ..., 131 and 132.
    seeds: list[Annotated[int, Field(ge=0, lt=2**31)]] = Field(min_length=1)
    mixtures: list[Mixture] | None = None  # null: all
    recipe: ContrastiveTraining


class TrainModels(Settings):
    """The models that are trained, by their keys in `models`: dual encoders."""

    models: dict[Key, TrainedModel] = Field(default_factory=dict)


class AggregateTraining(Settings):
    """How the results of Tables 3 to 6, 11 and 12 are computed."""

    confidence: float = Field(gt=0.5, lt=1)
    out_of_domain: Key  # the retrieval set of Tables 3 and 11, in the paper Flickr30k
    in_domain: Key  # that of Table 12, in the paper MS-COCO


class CocoCounterfactualsTrainingSettings(BenchmarkSettings):
    """The sections of training with counterfactuals in `params.yaml`."""

    extract: ExtractSamples
    generate: MixSamples
    verify: VerifySamples = VerifySamples()
    evaluate: TrainModels
    aggregate: AggregateTraining

    def check(self, models: Mapping[str, Any]) -> None:
        """Checks that the retrieval sets of tables exist, and that each trained model is a dual encoder."""
        for field in ("out_of_domain", "in_domain"):
            if (key := getattr(self.aggregate, field)) not in self.extract.retrieval:
                known = ", ".join(self.extract.retrieval)
                raise ValueError(f"aggregate.{{name}}.{field}: {key} is not in extract.{{name}}.retrieval ({known})")
        for key, trained in self.evaluate.models.items():
            place = f"evaluate.{{name}}.models.{key}"
            if key not in models:
                raise ValueError(f"{place}: is not a key of models; there are {', '.join(models)}")
            if models[key].adapter != "dual-encoder":
                raise ValueError(f"{place}: has the adapter {models[key].adapter}; only a dual-encoder is trained")
            if unmade := sorted(set(trained.mixtures or []) - set(self.generate.mixtures)):
                raise ValueError(f"{place}.mixtures: {unmade[0]} is not among generate.{{name}}.mixtures")


class SourceSettings(NamedTuple):
    """The settings of pairs and originals, without those of what is evaluated: which change neither."""

    pairs: PairsFrom
    scenes: DrawnSamples
    captions: str | None
    image_folders: list[str]


class ImportSettings(NamedTuple):
    """The settings of predictions that were made elsewhere: single files, and folders."""

    files: list[PredictionFiles]
    folders: list[PredictionFolder]


class MixSettings(NamedTuple):
    """The settings of the mixtures: which pairs, how they are mixed, and the rule of people's labels."""

    pairs: PairsFrom
    mix: MixSamples
    resolution: Resolution
