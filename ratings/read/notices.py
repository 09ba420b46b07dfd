"""What owners are told."""

from __future__ import annotations

from sqlmodel import col, select

from ratings.read.paging import Order, cut, one_page
from ratings.store import tables
from ratings.store.service import NoticeRecord
from ratings.store.sessions import Source, read
from ratings.values.page import DEFAULT_LIMIT, Page

_NOTICES = Order("notices", (tables.notice.c.id,), (str,))


def list_notices(
    source: Source,
    *,
    owner_id: str | None = None,
    everybodys: bool = False,
    limit: int | None = DEFAULT_LIMIT,
    after: str | None = None,
) -> Page[NoticeRecord]:
    """Return what is for everybody, and for one owner if named, the newest first; with `everybodys`, all notices.

    Raises PageError.
    """
    query = select(NoticeRecord)
    if not everybodys:
        is_his = col(NoticeRecord.owner_id) == owner_id
        query = query.where(
            col(NoticeRecord.owner_id).is_(None) | is_his if owner_id else col(NoticeRecord.owner_id).is_(None)
        )
    with read(source) as session:
        rows = session.exec(one_page(query, _NOTICES, limit, after)).all()
    return cut(rows, _NOTICES, limit, lambda row: (row.id,))
