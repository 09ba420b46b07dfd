"""One address cannot take all: it is told when it may ask again; whoever is on this machine is not limited."""

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from arena.web.guarding.limits import Buckets, limited_address


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
    buckets = Buckets(2.0, 3, clock=lambda: now[0])
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    now[0] = 0.5
    assert [buckets.take("a") for _ in range(2)] == [0, 0.5]
    now[0] = 1000.0
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


@pytest.mark.parametrize(
    ("peer", "forwarded", "is_behind_proxy", "address"),
    [
        ("203.0.113.7", "", False, "203.0.113.7"),
        ("203.0.113.7", "198.51.100.1", False, "203.0.113.7"),
        ("127.0.0.1", "1.1.1.1, 198.51.100.1", True, "198.51.100.1"),
        ("127.0.0.1", "", False, None),
        ("::1", "", False, None),
        ("", "", False, None),
        ("127.0.0.1", "no address", True, None),
        ("2001:db8:1:2:3:4:5:6", "", False, "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "", False, "203.0.113.7"),
    ],
)
def test_an_address_is_the_visitors_own(peer: str, forwarded: str, is_behind_proxy: bool, address: str | None) -> None:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    scope = {"type": "http", "client": (peer, 1), "headers": headers}
    assert limited_address(scope, is_behind_proxy=is_behind_proxy) == address
