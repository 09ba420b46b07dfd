"""Statements that are compiled once in a process, whichever of its many databases executes them.

SQLAlchemy keeps what it compiled with each engine and its dialect. A test that opens a database of its own would
compile every statement again, which takes longer than to execute it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest import mock

from sqlalchemy import Engine, create_engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from ratings.store import postgresql, sqlite

_MOST = 10_000
_KINDS = (SQLiteDialect_pysqlite, PGDialect_psycopg)
_first: dict[type, Engine] = {}


def _make(*arguments: Any, **options: Any) -> Engine:
    engine = create_engine(*arguments, query_cache_size=_MOST, **options)
    engine._compiled_cache = _first.setdefault(type(engine.dialect), engine)._compiled_cache
    return engine


@contextmanager
def same_statements() -> Iterator[None]:
    """While this is open, engines that are made in this process share what they compile with those of their kind.

    Their dialects count as equal, because they are part of what a compiled statement is found by.
    """
    with ExitStack() as stack:
        for kind in _KINDS:
            stack.enter_context(mock.patch.object(kind, "__hash__", partial(hash, kind)))
            stack.enter_context(mock.patch.object(kind, "__eq__", lambda one, other: type(one) is type(other)))
        for module in (sqlite, postgresql):
            stack.enter_context(mock.patch.object(module, "create_engine", _make))
        yield
