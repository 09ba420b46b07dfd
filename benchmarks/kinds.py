"""Chooses kinds of fields by how their names begin, as `--only` of the simulations asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar


class Named(Protocol):
    """Whatever has a name."""

    @property
    def name(self) -> str:
        """Return the name."""


N = TypeVar("N", bound=Named)


def named(kinds: Iterable[N], start: str) -> list[N]:
    """Return the kinds whose names begin so. Raises SystemExit naming those there are if none does."""
    every = list(kinds)
    if found := [kind for kind in every if kind.name.startswith(start)]:
        return found
    raise SystemExit(f"no kind begins with {start!r}; there are: {'; '.join(kind.name for kind in every)}")
