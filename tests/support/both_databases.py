"""Runs the tests of a folder twice: on SQLite, and on a PostgreSQL server whose databases stand for the files."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support import postgres, postgres_files
from tests.support.needs import BARE

SQLITE, POSTGRESQL = "sqlite", "postgresql"
_PURE = ("tests/ratings/statistics/", "tests/tournament/formats/")
"""The folders in which nothing is stored."""
_numbers = itertools.count()


def both_databases(metafunc: pytest.Metafunc) -> None:
    """Have a test run on each kind of database that is there and that it is not marked to leave out."""
    place = metafunc.definition.path.as_posix()
    only = metafunc.definition.get_closest_marker("only_sqlite")
    is_bare = metafunc.config.option.markexpr == BARE
    is_single = only is not None or is_bare or postgres.why_not() or any(pure in place for pure in _PURE)
    kinds = [SQLITE] if is_single else [SQLITE, POSTGRESQL]
    if len(kinds) > 1:
        metafunc.fixturenames[:0] = ["kind_of_database"] if "kind_of_database" not in metafunc.fixturenames else []
        metafunc.parametrize("kind_of_database", kinds, indirect=True, scope="session")


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
