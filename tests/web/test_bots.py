"""The pages of bots and of comparisons, asked without a browser."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from arena.app.policy import Viewer
from arena.web.app import make_app
from arena.web.shared.site import Site
from ratings.ledger.ledger import Ledger
from ratings.values.states import Scope
from tests.app.world import fresh_world


def test_bots_are_listed_and_searched(client: TestClient) -> None:
    every = re.findall(r'href="/bots/([^"?]+)"', client.get("/bots").text)
    assert every == sorted(every)
    assert {"first", "greedy", "random"} <= set(every)
    assert re.findall(r'href="/bots/([^"?]+)"', client.get("/bots", params={"name": "GREED"}).text) == ["greedy"]
    assert "no such bot" in client.get("/bots", params={"name": "50%"}).text


def test_a_bot_shows_curve_opponents_seats_and_matches(client: TestClient) -> None:
    text = client.get("/bots/greedy").text
    assert '<svg class="chart"' in text
    assert 'class="band"' in text
    (data,) = re.findall(r'data-curve="([^"]+)"', text)
    matches, middle, low, high = json.loads(unescape(data))
    assert matches == sorted(matches)
    assert all(below < mu < above for below, mu, above in zip(low, middle, high, strict=True))
    assert 'href="/bots/random"' in text
    assert re.search(r'href="/matches/[0-9a-f-]{36}"', text)


def test_a_bot_is_looked_at_pool_by_pool(client: TestClient) -> None:
    text = client.get("/bots/greedy").text
    pools = re.findall(r'href="\?pool=([0-9a-f]{64})&amp;version=1"', text)
    assert len(pools) == 3
    curves = {re.findall(r'data-curve="([^"]+)"', client.get(f"/bots/greedy?pool={pool}").text)[0] for pool in pools}
    assert len(curves) == 3


def test_the_time_that_a_bot_used_is_read_from_its_newest_matches(client: TestClient) -> None:
    text = client.get("/bot-times/greedy").text
    assert 1 <= len(re.findall(r'<tr><td><a class="mono" href="/matches/', text)) <= 10


@pytest.mark.parametrize("path", ["/bots/nobody", "/bots/no/body", "/bot-times/nobody", "/compare/nothing"])
def test_what_is_unknown_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_name_that_is_a_script_is_only_text(client: TestClient) -> None:
    for path in ("/bots/<script>alert(1)</script>", "/bots?name=<script>", "/compare?new=<script>&old=greedy"):
        text = client.get(path).text
        assert "<script>" not in text
        assert "&lt;script&gt;" in text


def test_two_bots_are_compared_where_both_are_rated(client: TestClient) -> None:
    text = client.get("/compare", params={"new": "greedy", "old": "random"}).text
    assert text.count("They met in") == 3
    assert client.get("/compare").status_code == 200
    assert client.get("/compare", params={"new": "greedy", "old": "greedy"}).status_code == 400
    assert client.get("/compare", params={"new": "greedy", "old": "nobody"}).status_code == 404


def test_a_tournament_that_compares_nothing_has_no_walk(client: TestClient) -> None:
    answer = client.get("/compare/duel")
    assert answer.status_code == 400
    assert "compares nothing" in answer.text


def test_older_versions_are_on_the_next_pages(tmp_path: Path) -> None:
    with fresh_world(tmp_path, {0}, game="rex_romanorum") as made:
        for number in range(2, 23):
            Ledger(made.database).add_version(bot="dog", owner=None, content_hash=f"d{number}", manifest={})
        client = TestClient(make_app(Site(made.asked_by(Viewer(Scope.VIEWER)))))
        seen, address = [], "/bots/dog"
        while address:
            page = client.get(address).text.partition('id="versions"')[2]
            seen += re.findall(r"<b>v(\d+)</b>", page)
            link = re.search(r'rel="next" href="([^"]+)#versions"', page)
            address = link[1].replace("&amp;", "&") if link else ""
        assert seen == [str(number) for number in range(22, 0, -1)]
