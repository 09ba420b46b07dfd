"""Matches are found by how a bot came out of them: first alone, first with others, or not first."""

from pathlib import Path

import pytest

from ratings.read.match_list import MatchFilter, list_matches
from ratings.store.database import open_database
from ratings.values.states import Fared
from tests.ratings import book

pytestmark = pytest.mark.both_databases


def test_first_alone_first_with_others_and_not_first_are_told_apart(tmp_path: Path) -> None:
    database = open_database(tmp_path / "arena.db")
    versions = book.add_bots(database, ("ada", "bob", "cyd", "dan"))
    book.play_all(database, book.create(database, versions.values(), seats=3))
    rows = list_matches(database, limit=None).items
    found = {}
    for version in versions.values():
        for fared in Fared:
            wanted = MatchFilter(version_id=version, fared=fared)
            found[version, fared] = {row.match.id for row in list_matches(database, wanted, limit=None).items}
    expected: dict[tuple[str, Fared], set[str]] = {key: set() for key in found}
    for row in rows:
        first = Fared.SHARED if [rank for _, rank in row.seats].count(1) > 1 else Fared.WON
        for bot, rank in row.seats:
            expected[versions[bot], first if rank == 1 else Fared.LOST].add(row.match.id)
    assert found == expected
    assert all(any(found[version, fared] for version in versions.values()) for fared in Fared)
    database.close()
