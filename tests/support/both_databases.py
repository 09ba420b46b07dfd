"""Runs tests twice: on SQLite, and on a PostgreSQL server whose databases stand for the files.

A test, or a file, carries the mark `both_databases` where the two may differ: each statement of the book is executed on
both, and what rests on locks, on order, on types or on a kill is tried on both. What rests on no database is not.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support import postgres, postgres_files
from tests.support.needs import BARE

SQLITE, POSTGRESQL = "sqlite", "postgresql"
MARK = "both_databases"
_numbers = itertools.count()


def both_databases(metafunc: pytest.Metafunc) -> None:
    """Have a test that is marked so run on each kind of database that is there."""
    is_marked = metafunc.definition.get_closest_marker(MARK) is not None
    is_bare = metafunc.config.option.markexpr == BARE
    if is_marked and not is_bare and not postgres.why_not():
        metafunc.parametrize("kind_of_database", [SQLITE, POSTGRESQL], indirect=True, scope="session")


@pytest.fixture(scope="session")
def kind_of_database(request: pytest.FixtureRequest) -> str:
    """Which kind of database the tests of this part of the session run on."""
    kind: str = getattr(request, "param", SQLITE)
    return kind


@contextmanager
def databases_of(kind: str) -> Iterator[None]:
    """Have paths of files stand for databases of that kind; what whole sessions share is made in this."""
    if kind == SQLITE:
        yield
        return
    with postgres_files.in_place_of_files(f"kma{os.getpid()}"):
        yield


@pytest.fixture(scope="module", autouse=True)
def files_of_module(kind_of_database: str) -> Iterator[None]:
    """Have paths stand for databases of that kind while the tests of a module run, and no longer."""
    with databases_of(kind_of_database):
        yield


@pytest.fixture(autouse=True)
def files_of_test(kind_of_database: str, files_of_module: None) -> Iterator[None]:
    """Take back what a test used on the server when it ends."""
    if kind_of_database == SQLITE:
        yield
        return
    with postgres_files.lent_for(f"kma{os.getpid()}x{next(_numbers)}"):
        yield
