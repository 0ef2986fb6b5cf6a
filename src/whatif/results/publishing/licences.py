"""Which licences of pictures allow them to be published, by a table; what is in no table is not published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum


class Terms(StrEnum):
    """What a licence allows a publisher to do with a picture."""

    FREE = "publishable"
    NON_COMMERCIAL = "publishable, not for commercial use"
    WITHHELD = "not publishable"


# Identifier -> terms. The identifiers are SPDX's without their version.
_IDENTIFIERS: Mapping[str, Terms] = {
    "CC0": Terms.FREE,
    "PDDL": Terms.FREE,
    "CC-BY": Terms.FREE,
    "CC-BY-SA": Terms.FREE,
    "CC-BY-NC": Terms.NON_COMMERCIAL,
    "CC-BY-NC-SA": Terms.NON_COMMERCIAL,
    # A benchmark shows pictures beside others and scales them, so a licence without derivatives is not enough.
    "CC-BY-ND": Terms.WITHHELD,
    "CC-BY-NC-ND": Terms.WITHHELD,
    "ODC-BY": Terms.FREE,
    "ODBL": Terms.FREE,
    "MIT": Terms.FREE,
    "APACHE": Terms.FREE,
    "BSD-2-CLAUSE": Terms.FREE,
    "BSD-3-CLAUSE": Terms.FREE,
}
# Names that MS-COCO's annotation files give to the licences of photographs on Flickr.
_NAMES: Mapping[str, Terms] = {
    "attribution license": Terms.FREE,
    "attribution-sharealike license": Terms.FREE,
    "attribution-noncommercial license": Terms.NON_COMMERCIAL,
    "attribution-noncommercial-sharealike license": Terms.NON_COMMERCIAL,
    "attribution-noderivs license": Terms.WITHHELD,
    "attribution-noncommercial-noderivs license": Terms.WITHHELD,
    "no known copyright restrictions": Terms.FREE,
    "united states government work": Terms.FREE,
    "public domain": Terms.FREE,
}
# Licences with an identifier of the Hugging Face hub (https://huggingface.co/docs/hub/repositories-licenses).
_HUB = (
    *("cc0-1.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0"),
    *("cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0"),
    *("pddl", "odc-by", "odbl", "mit", "apache-2.0", "bsd-2-clause", "bsd-3-clause"),
)
_URLS = {
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
}
_VERSION = re.compile(r"-\d+(\.\d+)*$")
_CREATIVE_COMMONS = re.compile(r"cc-(by(?:-nc)?(?:-sa)?)-(\d\.\d)")
_SEVERAL = "; "  # between the licences of the parts of a composite picture


def terms(licence: str) -> Terms:
    """What a licence allows; of several, as those of the parts of a picture (`A; B`), what all of them allow.

    A licence that is not in the table, an unknown or an empty one is not publishable.
    """
    found = {_terms_of(one) for one in licence.split(_SEVERAL)}
    return next(one for one in (Terms.WITHHELD, Terms.NON_COMMERCIAL, Terms.FREE) if one in found)


def _terms_of(licence: str) -> Terms:
    name = re.sub(r"\s+", " ", licence.strip())
    if name.lower() in _NAMES:
        return _NAMES[name.lower()]
    identifier = _VERSION.sub("", name.upper().replace(" ", "-"))
    return _IDENTIFIERS.get(identifier, Terms.WITHHELD)


def hub_licence(licence: str) -> str:
    """The hub's identifier of a licence; `other` where the hub has none."""
    name = licence.strip().lower().replace(" ", "-")
    return name if name in _HUB else "other"


def licence_url(licence: str) -> str:
    """The address of a licence's text, as Croissant asks for it; the licence itself where none is known."""
    name = hub_licence(licence)
    if name in _URLS:
        return _URLS[name]
    if found := _CREATIVE_COMMONS.fullmatch(name):
        return f"https://creativecommons.org/licenses/{found[1]}/{found[2]}/"
    return licence if name == "other" else f"https://spdx.org/licenses/{licence.strip()}.html"
