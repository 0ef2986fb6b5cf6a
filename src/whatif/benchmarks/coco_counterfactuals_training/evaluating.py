"""The evaluation of one set of weights: retrieval, and recognition without training (COCO-Counterfactuals 5.1, 5.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED, TEST, WITHHELD
from whatif.engine.graph.task import Task

if TYPE_CHECKING:
    from whatif.models.local.encoders import Embedder
    from whatif.models.local.prepared_pictures import PreparedPictures
    from whatif.scoring.retrieve import Item

Row: TypeAlias = dict[str, Any]
Rows: TypeAlias = list[Row]

IMAGES_OF_SAMPLES = ("images", "photographs", "our-images", "released-images")
# The mixtures whose withheld samples weights are evaluated on, the first that has some; others may contain them.
_WITHHELD_FROM = {
    "withheld-ms-coco": ("withheld-ms-coco", "withheld-counterfactuals"),
    "withheld-counterfactuals": ("withheld-counterfactuals",),
    PRE_TRAINED: ("withheld-counterfactuals", "withheld-ms-coco"),
}


class Evaluation:
    """Everything that the models of a job are evaluated on: read once, and prepared for the first model.

    Withheld samples of the division that a model was trained with are the retrieval set `withheld`. Models of the two
    mixtures that leave them out are evaluated on it, and the checkpoint as it was on that of each division. Everything
    else is the same for the checkpoint in each division, so it is evaluated in the published one only.
    """

    def __init__(self, task: Task[Any], prepared: PreparedPictures) -> None:
        from whatif.scoring.retrieve import Item

        self._task = task
        self._searched: dict[str, list[Item]] = {}
        for row in task.rows("retrieval"):
            self._searched.setdefault(row["data_set"], []).append(Item(row["item_id"], row["caption"], row["image_id"]))
        self._withheld: dict[tuple[str, str], list[Item]] = {}
        for row in task.rows("samples", part=[TEST]):
            item = Item(row["sample_id"], row["caption"], row["image_id"])
            self._withheld.setdefault((row["mixture"], row["division"]), []).append(item)
        self._prompts: dict[str, dict[int, str]] = {}
        for row in task.rows("classes"):
            self._prompts.setdefault(row["data_set"], {})[row["label"]] = row["prompt"]
        self._labelled: dict[str, Rows] = {}
        for row in task.rows("labelled"):
            self._labelled.setdefault(row["data_set"], []).append(row)
        self._prepared, self._is_prepared = prepared, False

    def rows(self, embedder: Embedder, place: Mapping[str, str]) -> tuple[Rows, Rows]:
        """Rows of `retrieved` and of `classified` for the weights of `embedder`.

        `place` has the model, mixture, division and seed of these weights. An image that cannot be decoded has no rank
        or no predicted label. Images are prepared for the first weights; all need the processor of `prepared`.
        """
        from whatif.models.local.prepared_pictures import PreparedEmbedder

        self._prepare()
        encoder = PreparedEmbedder(embedder)
        return list(self._retrieved(place, encoder)), list(self._classified(place, encoder))

    def _retrieved(self, place: Mapping[str, str], encoder: Any) -> Iterator[Row]:
        from whatif.scoring.retrieve import retrieval

        subsets = {} if _is_repeated(place) else dict(self._searched)
        of = _WITHHELD_FROM.get(place["mixture"], ())
        if own := next((one for one in of if (one, place["division"]) in self._withheld), None):
            subsets[WITHHELD] = self._withheld[own, place["division"]]
        for row in retrieval(subsets, self._prepared, _name(place), encoder):
            of_set = {**place, "data_set": row["subset"]}
            yield of_set | {name: row[name] for name in ("direction", "query_id", "rank", "candidates")}

    def _classified(self, place: Mapping[str, str], encoder: Any) -> Iterator[Row]:
        from whatif.scoring.zero_shot import zero_shot

        for data_set, labelled in () if _is_repeated(place) else sorted(self._labelled.items()):
            image_ids = {row["image_id"] for row in labelled}
            found = zero_shot(image_ids, self._prompts[data_set], self._prepared, f"{_name(place)} {data_set}", encoder)
            for row in labelled:
                of_row = {"data_set": data_set, "item_id": row["item_id"], "label": row["label"]}
                yield {**place, **of_row, "predicted": found[row["image_id"]]}

    def _prepare(self) -> None:
        if self._is_prepared:
            return
        self._is_prepared = True
        prepared = self._prepared
        searched = self._task.images("retrieval-images")
        for items in self._searched.values():
            prepared.prepare({item.image_id for item in items}, searched)
        if self._withheld:
            withheld = {item.image_id for items in self._withheld.values() for item in items}
            prepared.prepare(withheld, self._task.images(*IMAGES_OF_SAMPLES))
        shown = self._task.images("labelled-images")
        for labelled in self._labelled.values():
            prepared.prepare({row["image_id"] for row in labelled}, shown)


def _is_repeated(place: Mapping[str, str]) -> bool:
    """Whether these weights give the same results under another division: those of the checkpoint as it was."""
    return place["mixture"] == PRE_TRAINED and place["division"] != "published"


def _name(place: Mapping[str, str]) -> str:
    return " ".join(dict.fromkeys(place[name] for name in ("model", "mixture", "seed")))
