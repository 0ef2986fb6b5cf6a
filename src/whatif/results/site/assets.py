"""Templates, styles and scripts of the site: files of this package that decide the bytes of its pages."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from whatif.results.site.sources import Publish

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

STATIC = (
    "item_filters.js",
    "item_view.js",
    "items.css",
    "items.js",
    "site.css",
    "theme.js",
)  # copied into the folder `assets` of the site


def render(template: str, **values: Any) -> Markup:
    """The text of a template, in which every value is escaped unless it is markup. Raises if a value is missing."""
    from markupsafe import Markup

    # Escaped by the environment.
    return Markup(_environment().get_template(template).render(**values))


def publish_static(publish: Publish) -> None:
    """Writes styles and scripts."""
    for name in STATIC:
        publish(f"assets/{name}", asset(name))


def asset(name: str) -> bytes:
    """A style or script by file name. Raises FileNotFoundError for others."""
    return _bytes(f"assets/{name}")


def _bytes(path: str) -> bytes:
    return resources.files(__package__).joinpath(path).read_bytes()


def _capitalize_first(text: str) -> str:
    """The text with a capital first letter; unlike `capitalize`, the others stay as they are."""
    return text[:1].upper() + text[1:]


def counted(number: int, one: str, several: str) -> str:
    """A number with what it counts: `1 table`, `1,200 tables`."""
    return f"{number:,} {one if number == 1 else several}"


def _text(name: str) -> str:
    return _bytes(f"templates/{name}").decode()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(_text),
    )
    environment.filters["capitalize_first"] = _capitalize_first
    environment.filters["counted"] = counted
    return environment
