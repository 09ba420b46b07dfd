"""One address cannot take all: it is told when it may ask again; whoever is on this machine is not limited."""

from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from arena.web.app import make_app
from arena.web.middleware.rate_limits import TokenBuckets, limited_address
from arena.web.opening import open_site
from tests.support.patience import PATIENCE_S
from tests.support.web_server import served


@pytest.mark.hostile("web-flood-of-requests")
def test_an_address_that_asks_too_much_is_told_when_it_may_ask_again(far: TestClient, app: FastAPI) -> None:
    answers = [far.get(path) for path in ("/", "/api/v1/bots", "/", "/", "/api/v1/bots")]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert "text/html" in answers[3].headers["content-type"]
    assert answers[4].json()["error"]["status"] == 429
    assert answers[4].headers["access-control-allow-origin"] == "*"
    assert all(1 <= int(answer.headers["retry-after"]) <= 100 for answer in answers[3:])
    assert all("content-security-policy" in answer.headers for answer in answers)
    assert far.get("/static/css/base.css").status_code == 200
    assert TestClient(app, client=("203.0.113.8", 1)).get("/").status_code == 200
    assert [TestClient(app, client=("127.0.0.1", 1)).get("/").status_code for _ in range(5)] == [200] * 5


def test_a_bucket_fills_up_again_steadily_but_not_beyond_its_size() -> None:
    now = [0.0]
    buckets = TokenBuckets(2.0, 3, clock=lambda: now[0])
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    now[0] = 0.5
    assert [buckets.take("a") for _ in range(2)] == [0, 0.5]
    now[0] = 1000.0
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", None),
        ("::1", None),
        ("", None),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("::ffff:127.0.0.1", None),
    ],
)
def test_an_address_of_ipv6_counts_with_its_network_and_this_machine_does_not_count(
    peer: str, address: str | None
) -> None:
    assert limited_address(peer) == address


def test_a_proxy_on_this_machine_asks_for_whom_it_names(played: Path) -> None:
    with open_site(str(played)) as site:
        few = make_app(replace(site, requests_per_second=0.01, requests_at_once=1))
        with served(few) as address:
            for visitor, status in (("203.0.113.9", 200), ("203.0.113.9", 429), ("203.0.113.10", 200)):
                asked_for = {"x-forwarded-for": visitor}
                answer = httpx2.get(f"{address}/api/v1/games", headers=asked_for, timeout=PATIENCE_S)
                assert answer.status_code == status
