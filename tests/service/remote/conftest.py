"""A database in a file: bots are registered from several threads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ratings.store.database import Database, open_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "book.db")
    yield database
    database.close()
