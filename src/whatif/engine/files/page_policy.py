"""The Content-Security-Policy of a page that is complete in itself: one style, pictures in it, and nothing that runs.

If text of a model or of a file became markup by a mistake, a browser would neither run nor load what is in it.
"""

from __future__ import annotations

import base64
import hashlib


def policy_of(style: str) -> str:
    """The policy of a page without scripts, whose only style is exactly the content of its element `style`."""
    return f"default-src 'none'; style-src {hashed(style)}; img-src data:; base-uri 'none'; form-action 'none'"


def hashed(text: str) -> str:
    """What a policy calls the content of a script or style that stands in the page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
