"""All calls of the API in one router."""

from __future__ import annotations

from fastapi import APIRouter

from arena.web.api import badges, bots, comparisons, document, feed, games, ladders, matches, pools, tournaments
from arena.web.api.asked import ANSWERS, PREFIX

CALLS = APIRouter(prefix=PREFIX, responses=ANSWERS)
"""The calls that the OpenAPI describes."""
for _part in (pools, bots, tournaments, comparisons, matches, ladders, games):
    CALLS.include_router(_part.router)
DOCUMENTS = APIRouter()
"""What stands beside them."""
DOCUMENTS.include_router(document.router, prefix=PREFIX)
DOCUMENTS.include_router(feed.router)
DOCUMENTS.include_router(badges.router)
