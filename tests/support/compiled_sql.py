"""SQL that is compiled once in a process, for all SQLite databases that tests open one after the other.

SQLAlchemy keeps what it compiled with each engine. A command opens an engine of its own, and so a test that runs ten
commands would compile the same statements ten times, which takes longer than to execute them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

from sqlalchemy import Engine, create_engine

from ratings.store import sqlite


@cache
def _first() -> Engine:
    """The engine whose dialect and statements all others share; its dialect is initialised by connecting."""
    engine = create_engine("sqlite://", query_cache_size=10_000)
    engine.connect().close()
    return engine


def _make(*arguments: Any, **options: Any) -> Engine:
    engine = create_engine(*arguments, **options)
    engine.dialect = _first().dialect
    engine._compiled_cache = _first()._compiled_cache
    return engine


@contextmanager
def shared_compilation() -> Iterator[None]:
    """While this is open, engines of SQLite that are made in this process share what they compile."""
    with mock.patch.object(sqlite, "create_engine", _make):
        yield
