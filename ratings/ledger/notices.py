"""Writes what owners are told."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlmodel import Session

from ratings.store.identifiers import new_id, now_us
from ratings.store.models import with_text
from ratings.store.service import NoticeRecord


def add_notice(session: Session, owner_id: str | None, subject: str, sentence: str) -> NoticeRecord:
    """Write something that an owner is told; `None` for everybody."""
    notice = NoticeRecord(
        id=new_id(), owner_id=owner_id, at_us=now_us(), subject=subject, **with_text("sentence", sentence)
    )
    session.add(notice)
    session.flush()
    return notice


def instant(at_us: int) -> str:
    """Return an instant as people write it: UTC, to the minute."""
    return f"{datetime.fromtimestamp(at_us / 1_000_000, UTC):%Y-%m-%d %H:%M} UTC"
