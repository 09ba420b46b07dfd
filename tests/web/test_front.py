"""The front page, without a browser."""

import re

from fastapi.testclient import TestClient


def test_the_last_positions_of_different_tournaments_are_shown_where_nothing_is_played(client: TestClient) -> None:
    page = client.get("/").text
    pictures = re.findall(r'<img src="(/matches/([^/]+)/board.svg[^"]+)"', page)
    assert len(pictures) == 4
    tournaments = {client.get(f"/api/v1/matches/{match}").json()["tournament"] for _, match in pictures}
    assert len(tournaments) == 4
    address, match = pictures[0]
    picture = client.get(address.replace("&amp;", "&"))
    assert "immutable" in picture.headers["cache-control"]
    last = client.get(f"/api/v1/matches/{match}").json()["plies"]
    assert picture.text == client.get(f"/matches/{match}/board.svg?ply={last}").text


def test_each_board_names_who_played_by_rank(client: TestClient) -> None:
    card = client.get("/").text.partition('class="players"')[2].partition("</p>")[0]
    assert re.findall(r">(\d)\.<", card) == sorted(re.findall(r">(\d)\.<", card))
    assert 'class="first"' in card
