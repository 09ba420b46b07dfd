"""Tables as files, without a browser."""

import csv

import pytest
from fastapi.testclient import TestClient

from arena.web.pages.exports import plain_text
from arena.web.shared.formats import iso_instant


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


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-1+1", "@SUM(1)", "\t=1", "\r=1"])
def test_no_name_is_computed_by_a_spreadsheet(name: str) -> None:
    assert plain_text(name) == f"'{name}"
    assert plain_text("ann/fox") == "ann/fox"
