"""Refuses requests that another site has a visitor's browser send: what changes something comes from our own pages."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import HTTPException, Request

from engine.text import Text

_OURS = ("same-origin", "none")


def need_own_page(request: Request) -> None:
    """Raise an error 403 for a request that a page of another site sends.

    Browsers say where a request comes from; a program that says nothing is no browser, and acts for nobody else.
    """
    if _is_foreign(request):
        raise HTTPException(
            403,
            Text(
                "web.sent_page_another_site_nothing",
                "this was sent by a page of another site, and nothing was done; use the pages here",
            ),
        )


def _is_foreign(request: Request) -> bool:
    """Return whether another site sends this. What a browser makes of it counts most: a proxy may change the host."""
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site not in _OURS
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host")
