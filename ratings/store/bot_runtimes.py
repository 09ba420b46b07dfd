"""The table of the runtimes that bots ran in.

It follows the rules of `ratings.store.models`. Whoever looks at one match reads it, and nothing else of the service.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger
from sqlmodel import Field

from ratings.store.models import Table


class RuntimeRecord(Table, table=True):
    """What a runtime consisted of, by the hash of its content."""

    hash: str = Field(primary_key=True)
    name: str
    kind: str
    contents: dict[str, Any] = Field(sa_type=JSON)
    """The versions of the program and of the packages in it."""
    seen_at_us: int = Field(sa_type=BigInteger)
    """When it was first used."""
