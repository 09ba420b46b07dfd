"""The files that pages need: styles, scripts, vendored libraries. Each is asked for by a hash of its content.

A browser keeps a file for a year and asks again only when its address, which names the content, has changed.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).parents[1] / "static"
_YEAR_S = 365 * 24 * 3600


@cache
def address_of(name: str) -> str:
    """Return where a file of `static/` is served. Raises FileNotFoundError if there is none."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


class HashedStaticFiles(StaticFiles):
    """Serves files; what was asked for by its content may be kept."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, to be kept if it was asked for by its content."""
        response = await super().get_response(path, scope)
        is_named = scope["query_string"].startswith(b"v=") and response.status_code == 200
        response.headers["cache-control"] = f"public, max-age={_YEAR_S}, immutable" if is_named else "no-cache"
        return response
