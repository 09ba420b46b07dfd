"""Sends JSON that is kept packed as it is to whoever can unpack it."""

from __future__ import annotations

import gzip
from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response


def send_packed(request: Request, packed: bytes, headers: Mapping[str, str]) -> Response:
    """Return an answer of JSON that is packed by gzip, unpacked for who does not take it so."""
    vary = ", ".join(filter(None, (headers.get("vary"), "Accept-Encoding")))
    all_headers = {**headers, "vary": vary}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type="application/json", headers=all_headers | {"content-encoding": "gzip"})
    return Response(gzip.decompress(packed), media_type="application/json", headers=all_headers)
