"""Records what bots ran in, once for each hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from ratings.store.ids import now_us
from ratings.store.runtime import Runtime


@dataclass(frozen=True, slots=True)
class RuntimeFact:
    """What a runtime consists of; `contents` is ready for JSON."""

    hash: str
    name: str
    kind: str
    contents: Mapping[str, Any]


def note_runtimes(session: Session, facts: Sequence[RuntimeFact]) -> None:
    """Add those that are not known yet; a hash never changes its meaning."""
    wanted = {fact.hash: fact for fact in facts}
    known = set(session.exec(select(Runtime.hash).where(col(Runtime.hash).in_(wanted))))
    for fact in wanted.values():
        if fact.hash not in known:
            session.add(
                Runtime(
                    hash=fact.hash, name=fact.name, kind=fact.kind, contents=dict(fact.contents), seen_at_us=now_us()
                )
            )
