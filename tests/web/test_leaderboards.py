"""The leaderboards: their pages, wins and draws apart, sorting in a real browser, and tables as files."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from arena.model.ratings import OfficialTable
from arena.model.table_columns import Column, ColumnKind
from arena.model.tournaments import StandingRow
from arena.web.app import make_app, open_site
from arena.web.official_fitting import Fitter, _answer, _read_answer, _read_overall
from arena.web.pages import exports
from arena.web.report.match_packing import Packer
from arena.web.report.report_file import write_report
from arena.web.shared.formatting import iso_instant
from arena.web.shared.official_tables import CachedTable, FitError, OfficialTables
from ratings.values.pools import RatingMethod
from ratings.values.statistics import Circle
from tests.ratings import book
from tests.support.browsing import Watched
from tests.support.patience import PATIENCE_S
from tests.support.processes import marked_processes


@pytest.fixture(scope="module")
def pool(client: TestClient) -> str:
    """The address of a pool's table."""
    found = re.search(r"/leaderboards/[0-9a-f]{64}", client.get("/leaderboards").text)
    assert found is not None
    return found[0]


def bots_of(text: str) -> list[str]:
    """The bots of a table, from top to bottom."""
    return re.findall(r'scope="row" class="name"><a class="bot" href="/bots/([^"]+)"', text)


def test_all_pools_are_shown_and_can_be_narrowed(client: TestClient) -> None:
    every = client.get("/leaderboards").text
    rome = client.get("/leaderboards", params={"game": "rex_romanorum", "seats": "3", "remote": "no"}).text
    assert every.count("<section") > rome.count("<section") == 1
    assert "Rex Romanorum" in rome
    assert client.get("/leaderboards", params={"remote": "yes"}).text.count("<table") == 0


def test_a_table_shows_ratings_intervals_and_courses(client: TestClient, pool: str) -> None:
    text = client.get(pool).text
    assert set(bots_of(text)) == {"random", "greedy", "first"}
    assert text.count('class="small interval"') >= 3
    assert text.count("polyline") >= 3
    assert 'aria-sort="descending"' in text


def test_a_table_says_by_which_method_its_live_rating_is(
    client: TestClient, played: Path, pool: str, tmp_path: Path
) -> None:
    usual = client.get(pool).text
    assert "Live (TrueSkill)" in usual
    assert "OpenSkill" not in usual
    path = book.copy_of(played, tmp_path / "played.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE pool SET rating_method = 'openskill'")
    with open_site(str(path)) as site, TestClient(make_app(site)) as made:
        text = made.get(pool).text
        assert "Live (OpenSkill)" in text
        assert "OpenSkill</small>" in made.get("/leaderboards").text
        assert fitted_here(path, pool).pool.rating_method is RatingMethod.OPENSKILL


def test_a_column_sorts_and_turns(client: TestClient, pool: str) -> None:
    for column in ("bot", "rating", "mu", "matches", "wins", "score"):
        one, other = (bots_of(client.get(pool, params={"sort": by}).text) for by in (column, f"-{column}"))
        assert sorted(one) == sorted(other), column
        if column == "bot":
            assert one == sorted(one) == other[::-1]


def test_a_table_is_narrowed_to_names_and_keeps_its_ranks(client: TestClient, pool: str) -> None:
    bots = bots_of(client.get(pool).text)
    text = client.get(pool, params={"name": bots[1].upper()}).text
    assert bots_of(text) == [bots[1]]
    assert '<td class="n">2</td>' in text
    assert bots_of(client.get(pool, params={"owner": "nobody"}).text) == []


@pytest.mark.parametrize(
    "params", [{"sort": "nonsense"}, {"after": "%%%"}, {"sort": "elo", "after": "x"}, {"name": "x" * 101}]
)
def test_what_makes_no_sense_is_refused_in_a_sentence(client: TestClient, pool: str, params: dict[str, str]) -> None:
    answer = client.get(pool, params=params)
    assert answer.status_code == 400
    assert 'class="sentence"' in answer.text


def test_an_unknown_pool_is_not_found(client: TestClient) -> None:
    assert client.get("/leaderboards/abcdef").status_code == 404


def fitted_here(db: Path, pool: str) -> OfficialTable:
    """What another process would answer, from this one."""
    return _read_answer(json.dumps(_answer(str(db), pool.rpartition("/")[2])).encode())


@pytest.fixture(scope="module")
def table(played: Path, pool: str) -> OfficialTable:
    """The official table of that pool."""
    return fitted_here(played, pool)


@pytest.mark.needs("minutes")
def test_the_official_table_is_fitted_by_another_process(played: Path, pool: str, table: OfficialTable) -> None:
    assert Fitter(str(played)).fit(pool.rpartition("/")[2]) == table


def test_the_official_table_is_shown_beside(played: Path, pool: str, table: OfficialTable) -> None:
    assert {row.bot for row in table.rows} == {"random", "greedy", "first"}
    with open_site(str(played)) as site:
        kept = CachedTable(table, table.matches, 1_700_000_000_000_000)
        object.__setattr__(site, "official", _Always(kept))
        text = TestClient(make_app(site)).get(pool, params={"sort": "elo"}).text
    assert [row.bot for row in table.rows] == bots_of(text)
    assert "2023-11-14 22:13 UTC" in text


def test_the_group_of_each_is_told_where_some_never_met(played: Path, pool: str, table: OfficialTable) -> None:
    apart = replace(table, groups=2, rows=(*table.rows[:2], replace(table.rows[2], group=1)))
    with open_site(str(played)) as site:
        object.__setattr__(site, "official", _Always(CachedTable(apart, table.matches, 1_700_000_000_000_000)))
        text = TestClient(make_app(site)).get(pool).text
        object.__setattr__(site, "official", _Always(CachedTable(table, table.matches, 1_700_000_000_000_000)))
        without = TestClient(make_app(site)).get(pool).text
    assert (text.count(">group 0<"), text.count(">group 1<")) == (2, 1)
    assert ">group " not in without


def test_a_circle_comes_from_the_other_process_as_it_is_and_is_told_in_one_sentence(
    played: Path, pool: str, table: OfficialTable
) -> None:
    circle = Circle(
        versions=("1", "2", "3"),
        bots=("greedy", "first", "random"),
        shares=(0.61, 0.58, 0.725),
        blocks=(40, 40, 41),
        elo=84.6,
        chance=1e-7,
    )
    told = replace(table, circles=(circle,), circle_count=1)
    assert _read_answer(json.dumps(asdict(told)).encode()) == told
    with open_site(str(played)) as site:
        object.__setattr__(site, "official", _Always(CachedTable(told, told.matches, 1_700_000_000_000_000)))
        text = TestClient(make_app(site)).get(pool).text
        object.__setattr__(site, "official", _Always(CachedTable(table, table.matches, 1_700_000_000_000_000)))
        without = TestClient(make_app(site)).get(pool).text
    assert (
        "greedy beats first (61.0\u2009%), first beats random (58.0\u2009%), random beats greedy (72.5\u2009%)" in text
    )
    assert "each by 85 Elo on average" in text
    assert "at most 0.1\u2009%" in text
    assert "misleads" not in without


def test_all_games_are_shown_in_one_table(played: Path) -> None:
    """The places by the methods that are chosen, who is apart, the pools, and what depends on the method."""
    methods = ["mean-rank", "vase", "soft-condorcet", "nash", "alpha-rank", "trueskill"]
    table = _read_overall(json.dumps(_answer(str(played), "", methods)).encode())
    assert {row.bot for row in (*table.rows, *table.apart)} >= {"random", "greedy"}
    assert len(table.pools) > 1
    with open_site(str(played)) as site:
        object.__setattr__(site, "overall", _Always(CachedTable(table, 12, 1_700_000_000_000_000)))
        client = TestClient(make_app(site))
        text = client.get("/leaderboards/overall", params={"method": ["nash", "vase"]}).text
        assert 'href="/leaderboards/overall"' in client.get("/leaderboards").text
        told = client.get("/api/v1/overall").json()
    assert [row["bot"] for row in told["table"]["rows"]] == [row.bot for row in table.rows]
    assert told["at_us"] == 1_700_000_000_000_000
    assert text.count(" checked>") == 2
    assert '<th scope="col" class="n">Nash averaging</th>' in text
    assert ">Mean rank</th>" not in text
    assert "2023-11-14 22:13 UTC" in text
    assert ("depends on the method" in text) or ("depend on the method" in text)
    assert all(f"/leaderboards/{one.pool.pool_id}" in text for one in table.pools)


def test_a_fit_that_fails_tells_why(tmp_path: Path) -> None:
    with pytest.raises(FitError, match="cannot be read just now"):
        fitted_here(tmp_path / "none.db", "abcd")


def test_a_table_is_fitted_in_the_background_and_again_when_there_is_more() -> None:
    now = [0.0]
    fitted, go_on = threading.Semaphore(0), threading.Semaphore(0)

    def fit(pool: str) -> OfficialTable:
        go_on.acquire(timeout=PATIENCE_S)
        fitted.release()
        raise FitError(f"{pool} is odd")

    tables = OfficialTables(fit, lambda: now[0])
    assert tables.look("a", 0) == CachedTable()
    assert tables.look("a", 1).is_computing
    go_on.release()
    assert fitted.acquire(timeout=PATIENCE_S)
    wait_until(lambda: not tables.look("a", 1).is_computing)
    assert tables.look("a", 1).why_not == "a is odd"
    assert not tables.look("a", 2).is_computing, "it rests"
    now[0] = 1000.0
    assert tables.look("a", 2).is_computing
    go_on.release()
    tables.close()


def test_with_the_pages_end_the_fit_that_runs_and_those_that_are_due(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"OF_CLOSED_PAGES={uuid.uuid4()}"
    monkeypatch.setenv(*mark.split("="))
    monkeypatch.setattr("arena.web.app.Fitter", Fitter)
    monkeypatch.setattr(
        "arena.web.official_fitting._COMMAND", (sys.executable, "-c", "import time; time.sleep(3600)", "sleeps")
    )
    before = set(threading.enumerate())
    with open_site(str(played)) as site:
        assert site.official is not None
        for pool in "abc":
            assert site.official.look(pool, 1).is_computing
        wait_until(lambda: any("sleeps" in line for line in marked_processes(mark).values()))
    assert set(threading.enumerate()) <= before
    assert marked_processes(mark) == {}


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for what another thread does at once."""
    waited = threading.Event()
    for _ in range(int(PATIENCE_S * 100)):
        if holds():
            return
        waited.wait(0.01)
    raise AssertionError("it never came")


class _Always:
    """Official tables that are done."""

    turn = 0

    def __init__(self, kept: CachedTable[Any]) -> None:
        self.kept = kept

    def look(self, _pool: str, _matches: int) -> CachedTable[Any]:
        return self.kept

    def close(self) -> None:
        pass


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
    made = write_report("cup", Packer().packed(), "en", standings=[row])
    assert HEADING.findall(made.decode()) == ["Shared", "Draws"]


def test_a_table_is_sorted_by_keyboard_without_a_reload(page: Watched, address: str) -> None:
    page.page.goto(f"{address}/leaderboards")
    page.page.locator("h2 a").first.click()
    page.page.evaluate("window.isSamePage = true")
    button = page.page.get_by_role("columnheader", name="Bot").get_by_role("button")
    for order in ("ascending", "descending"):
        button.focus()
        page.page.keyboard.press("Enter")
        page.page.locator(f'th[aria-sort="{order}"] #by-bot').wait_for()
    names = page.page.locator("tbody .bot span").all_inner_texts()
    assert names == sorted(names, reverse=True)
    assert "sort=-bot" in page.page.url
    assert page.page.evaluate("window.isSamePage")


def rows_of(client: TestClient, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    return list(csv.DictReader(answer.text.splitlines()))


def test_the_file_of_a_leaderboard_holds_what_its_page_shows(client: TestClient) -> None:
    board = client.get("/api/v1/leaderboards?limit=50").json()["boards"][0]
    address = f"/leaderboards/{board['pool']['pool_id']}"
    assert f'href="{address}/table.csv?sort=-matches&amp;name=e"' in client.get(f"{address}?sort=-matches&name=e").text
    rows = rows_of(client, f"{address}/table.csv?sort=rating")
    assert [(row["bot"], int(row["matches"])) for row in rows] == [
        (row["bot"], row["matches"]) for row in board["table"]
    ]
    assert [row["bot"] for row in rows_of(client, f"{address}/table.csv?name=greed&sort=elo")] == ["greedy"]


def test_the_file_of_a_search_holds_the_matches_found(client: TestClient) -> None:
    found = client.get("/api/v1/matches?tournament=cup&bot=greedy&limit=500").json()["items"]
    rows = rows_of(client, "/matches.csv?tournament=cup&bot=greedy")
    assert [row["match"] for row in rows] == [match["id"] for match in found]
    assert rows[0]["bots"].split() == [seat["bot"] for seat in found[0]["seats"]]
    assert rows[0]["ended"] == iso_instant(found[0]["ended_at_us"])
    assert client.get("/matches.csv?least_plies=-1").status_code == 400


@pytest.mark.hostile("formula-in-a-spreadsheet")
@pytest.mark.parametrize(
    ("name", "cell"),
    [
        *((one, f"'{one}") for one in ("=cmd|' /C calc'!A0", "+1", "-1+1", "@SUM(1)")),
        ("\t=1", "'\t'=1"),
        ("\r=1", r"\r=1"),
    ],
)
def test_no_name_is_computed_by_a_spreadsheet(name: str, cell: str) -> None:
    tournament = SimpleNamespace(name=name, mu=-1.5)
    columns = [Column("name", "tournament"), Column("mu", "rating", ColumnKind.RATING)]
    (told,) = csv.DictReader(io.StringIO(bytes(exports._file("x", columns, [tournament], None).body).decode()))
    assert told == {"tournament": cell, "rating": "-1.5000"}
