"""What a page asks, on behalf of whoever looks at it."""

from __future__ import annotations

from fastapi import Request

from arena.client.overview import ShownArena
from arena.web.frame.answers import Answers
from arena.web.frame.records import Records
from arena.web.frame.site import Site


def site_of(request: Request) -> Site:
    """Return the site that a request came to."""
    site: Site = request.app.state.site
    return site


def arena_of(request: Request) -> ShownArena:
    """Return the arena as everybody may see it."""
    return site_of(request).arena


def answers_of(request: Request) -> Answers:
    """Return the answers that are kept."""
    found: Answers = request.app.state.answers
    return found


def records_of(request: Request) -> Records:
    """Return the records of versions that are kept."""
    found: Records = request.app.state.records
    return found


def home_of(request: Request) -> str:
    """Return the address of the front page as the visitor reaches it, without its last slash."""
    return str(request.base_url).rstrip("/")
