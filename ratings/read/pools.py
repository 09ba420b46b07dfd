"""Pools by the beginning of their id."""

from __future__ import annotations

from sqlalchemy import bindparam
from sqlmodel import col, select

from ratings.errors import AmbiguousError, NotFoundError
from ratings.read.identifying import may_be_part_of_id
from ratings.store.models import Pool
from ratings.store.sessions import Source, read

_BEGINNING_WITH = select(Pool).where(col(Pool.id).startswith(bindparam("beginning"))).limit(2)


def find_pool(source: Source, text: str) -> Pool:
    """Return the pool whose id begins with `text` (4 hex digits or more). Raises NotFoundError, AmbiguousError."""
    wanted = text.lower()
    usable = may_be_part_of_id(wanted) and set(wanted) <= set("0123456789abcdef")
    with read(source) as session:
        found = session.exec(_BEGINNING_WITH, params={"beginning": wanted}).all() if usable else []
    if not found:
        raise NotFoundError(f"no pool {text!r}; see: arena leaderboard")
    if len(found) > 1:
        raise AmbiguousError(f"several pools begin with {text!r}; give more digits")
    return found[0]
