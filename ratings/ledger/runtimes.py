"""Records what bots ran in, once for each hash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from sqlmodel import Session, col, select

from ratings.store.identifiers import now_us
from ratings.store.runtime import RuntimeRecord


class DescribedRuntime(Protocol):
    """What a runtime consists of."""

    @property
    def name(self) -> str:
        """Its name, as a bot's `bot.toml` has it."""

    @property
    def kind(self) -> str:
        """What it is made of."""

    @property
    def contents(self) -> Mapping[str, Any]:
        """The versions of the program and of the packages in it, ready for JSON."""


def note_runtimes(session: Session, described: Mapping[str, DescribedRuntime]) -> None:
    """Add those that are not known yet, by hash; a hash never changes its meaning."""
    known = set(session.exec(select(RuntimeRecord.hash).where(col(RuntimeRecord.hash).in_(described))))
    for hash_, one in described.items():
        if hash_ not in known:
            session.add(
                RuntimeRecord(
                    hash=hash_, name=one.name, kind=one.kind, contents=dict(one.contents), seen_at_us=now_us()
                )
            )
