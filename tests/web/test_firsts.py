"""Wins, shared firsts and draws on the pages: apart, and each only where there is one."""

import csv
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from arena.model.tournaments import StandingRow
from arena.web.app import make_app
from arena.web.opening import open_site
from arena.web.report.packing import Packer
from arena.web.report.page import write_report
from tests.ratings import book

HEADING = re.compile(r'<th scope="col" class="[^"]*">(Draws|Shared)</th>')


@pytest.fixture(scope="module")
def with_draws(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The pages of a database in which everybody shared two first ranks of ten, and one match was a draw."""
    path = book.copy_of(played, tmp_path_factory.mktemp("draws") / "played.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        for table in ("rating", "entrant_tally"):
            connection.execute(f"UPDATE {table} SET shared = 2, draws = 1, matches = 10")
    with open_site(str(path)) as site, TestClient(make_app(site)) as made:
        yield made


def test_pages_show_shared_firsts_and_draws_beside_wins(with_draws: TestClient, ids: dict[str, str]) -> None:
    for address in (f"/leaderboards/{ids['pool']}", "/bots/greedy", "/tournaments/cup"):
        assert HEADING.findall(with_draws.get(address).text)[:2] == ["Shared", "Draws"], address
    assert "20.0\u2009%" in with_draws.get(f"/leaderboards/{ids['pool']}").text
    lines = with_draws.get(f"/leaderboards/{ids['pool']}/table.csv").text.splitlines()
    assert [(row["shared"], row["draws"]) for row in csv.DictReader(lines)] == [("2", "1")] * 3


def test_a_report_shows_them_too() -> None:
    row = StandingRow(1, "id", "ada", 1, "hash", 9, 4, 3, 12, 0.7, 0, "", shared=2, draws=1)
    assert HEADING.findall(write_report("cup", Packer().packed(), "en", standings=[row]).decode()) == [
        "Shared",
        "Draws",
    ]
