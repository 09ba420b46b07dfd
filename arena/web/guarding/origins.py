"""Refuses requests that another site has a visitor's browser send: what changes something comes from our own pages."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import HTTPException, Request

_OURS = ("same-origin", "none")


def need_own_page(request: Request) -> None:
    """Raise an error 403 for a request that a page of another site sends.

    Browsers say where a request comes from; a program that says nothing is no browser, and acts for nobody else.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_foreign = site is not None and site not in _OURS
    if is_foreign or (origin is not None and urlsplit(origin).netloc != request.headers.get("host")):
        raise HTTPException(403, "this was sent by a page of another site, and nothing was done; use the pages here")
