"""What the helper of the pages can be asked, written as a text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, cast

from arena.model.port import ShownArena


def call_of(arena: ShownArena, question: str) -> Callable[..., Any]:
    """Return what answers a question: a call of the arena, `tournaments.list_confidence`, or a function of the pages.

    That one is written `arena.web.api.feed:gather`, and is given the arena before its arguments.
    """
    module, colon, name = question.partition(":")
    if colon:
        return partial(getattr(import_module(module), name), arena)
    found: Any = arena
    for part in question.split("."):
        found = getattr(found, part)
    return cast("Callable[..., Any]", found)
