"""A part of a list, and how to go on after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
DEFAULT_LIMIT = 50
"""How many items a page has unless somebody asks for more or fewer."""
MOST_LIMIT = 500
"""How many a service gives at once."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list in its order."""

    items: tuple[T, ...]
    next: str | None = None
    """The cursor after which the list goes on, or `None` at its end."""
