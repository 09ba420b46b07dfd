"""What others send: names that are not ours, bodies without end, connections that say nothing or read nothing."""

import errno
import select
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.requests import ClientDisconnect

from arena.rpc.errors import DiskFullError, ServiceError, UnreachableError
from arena.web import serving
from arena.web.app import make_app, open_site
from arena.web.middleware import errors
from arena.web.middleware import rate_limits as limits
from arena.web.middleware import request_checks as bodies
from arena.web.middleware.rate_limits import TokenBuckets
from arena.web.middleware.request_checks import is_known, is_this_machine
from ratings.errors import DatabaseFullError
from ratings.store.database import open_database
from tests.support.patience import PATIENCE_S
from tests.support.web_pages import served

SOON_S = 0.3


@pytest.fixture(scope="module")
def named(played: Path) -> Iterator[TestClient]:
    """Asks an arena that a proxy offers as arena.example.org."""
    with open_site(str(played), names=("Arena.example.org",)) as site, TestClient(make_app(site)) as made:
        yield made


@pytest.mark.parametrize(
    "host", ["127.0.0.1:7780", "[::1]:7780", "localhost", "x.localhost:1", "ARENA.example.org.", ""]
)
def test_addresses_this_machine_and_given_names_are_answered(host: str) -> None:
    assert is_known(host, {"arena.example.org"})


@pytest.mark.hostile("web-name-made-to-lead-here")
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "[", "a/b?c", "x@y"]
)
def test_a_page_whose_name_was_made_to_lead_here_reads_nothing(named: TestClient, host: str) -> None:
    page, call = (
        named.get(path, headers={"host": host, "accept-language": "de"}) for path in ("/bots", "/api/v1/bots")
    )
    assert (page.status_code, call.status_code) == (421, 421)
    assert "web_names" in page.text
    assert "greedy" not in page.text + call.text
    assert page.headers["content-security-policy"]


@pytest.mark.hostile("web-page-of-another-site-reads-the-api")
@pytest.mark.parametrize(
    ("host", "is_open"), [("localhost:7780", False), ("127.8.9.1", False), ("arena.example.org", True)]
)
def test_pages_from_elsewhere_read_the_api_only_of_an_arena_that_others_can_reach(
    named: TestClient, host: str, is_open: bool
) -> None:
    assert is_this_machine(host) is not is_open
    for path in ("/api/v1/bots", "/feed.atom", "/bots/greedy/badge.svg"):
        assert ("access-control-allow-origin" in named.get(path, headers={"host": host}).headers) is is_open


@pytest.mark.hostile("web-giant-form")
def test_a_form_that_is_too_large_is_not_read(client: TestClient) -> None:
    large = b"lang=" + b"x" * bodies.MOST_BYTES

    def in_pieces() -> Iterator[bytes]:
        yield from (large[:1000] for _ in range(bodies.MOST_BYTES // 1000 + 1))

    kind = {"content-type": "application/x-www-form-urlencoded"}
    for content in (large, in_pieces()):
        answer = client.post("/preferences", content=content, headers=kind)
        assert answer.status_code == 413
        assert answer.headers["connection"] == "close"


def test_head_is_answered_like_get_but_for_streams(client: TestClient) -> None:
    assert [client.head(path).status_code for path in ("/", "/api/v1/bots", "/static/css/base.css")] == [200] * 3
    assert client.head("/live?match=x").status_code == 405


@pytest.mark.hostile("web-flood-of-dear-requests")
def test_a_dear_request_counts_as_several_and_an_address_has_few_at_once(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    buckets = TokenBuckets(1.0, 10, clock=lambda: 0.0)
    assert [buckets.take("a", 6), buckets.take("a", 6), buckets.take("a", 4)] == [0, 2, 0]
    monkeypatch.setattr(limits, "_MOST_AT_ONCE", 0)
    with open_site(str(played)) as site:
        assert TestClient(make_app(site), client=("203.0.113.7", 1)).get("/").status_code == 429


@pytest.mark.host_fault("database-taken-away-from-the-pages")
def test_where_the_database_lies_is_told_to_nobody_when_it_is_gone(tmp_path: Path) -> None:
    place = tmp_path / "arena.db"
    open_database(place).close()
    with open_site(str(place)) as site, TestClient(make_app(site)) as client:
        assert client.get("/bots").status_code == 200
        place.unlink()
        page, call = client.get("/bots"), client.get("/api/v1/bots")
    assert (page.status_code, call.status_code) == (503, 503)
    assert str(tmp_path) not in page.text + call.text


@pytest.fixture
def hasty(played: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """Where a server listens that soon loses patience."""
    monkeypatch.setattr(serving, "HEAD_S", SOON_S)
    monkeypatch.setattr(serving, "READ_S", SOON_S)
    monkeypatch.setattr(bodies, "FORM_S", SOON_S)
    with open_site(str(played)) as site, served(make_app(replace(site, names=()))) as address:
        host, _, port = address.removeprefix("http://").partition(":")
        yield host, int(port)


FORM = b"POST /preferences HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@pytest.mark.hostile(
    "web-says-nothing", "web-half-a-head", "web-half-a-form", "web-chunks-without-end", "web-two-lengths", "web-no-http"
)
@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (b"", b""),
        (b"GET / HTTP/1.1\r\nHost: loc", b""),
        (FORM + b"Content-Length: 50\r\n\r\nlang=", b"HTTP/1.1 408 "),
        (FORM + b"Transfer-Encoding: chunked\r\n\r\n5\r\nlang=\r\n", b"HTTP/1.1 408 "),
        (FORM + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", b"HTTP/1.1 400 "),
        (FORM + b"Content-Length: 5000000\r\n\r\n", b"HTTP/1.1 413 "),
        (b"nonsense\r\n\r\n", b"HTTP/1.1 400 "),
    ],
    ids=["says nothing", "half a head", "half a form", "chunks without end", "two lengths", "too long", "no HTTP"],
)
def test_who_dawdles_or_sends_nonsense_is_hung_up_on(hasty: tuple[str, int], said: bytes, answer: bytes) -> None:
    with socket.create_connection(hasty, PATIENCE_S) as line:
        line.sendall(said)
        heard = _all_of(line)
    assert heard.startswith(answer) if answer else heard == b""
    assert not answer or b"content-security-policy: default-src 'none'" in heard


@pytest.mark.hostile("web-never-reads")
def test_who_reads_nothing_is_hung_up_on_and_others_are_served(hasty: tuple[str, int]) -> None:
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(hasty)
        deaf.sendall(b"GET /static/vendor/htmx.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 500)
        hung_up = select.poll()
        hung_up.register(deaf, 0)
        assert hung_up.poll(1000 * PATIENCE_S)
    with socket.create_connection(hasty, PATIENCE_S) as line:
        line.sendall(b"GET /games HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert _all_of(line).startswith(b"HTTP/1.1 200 ")


def _all_of(line: socket.socket) -> bytes:
    heard = b""
    while piece := line.recv(65536):
        heard += piece
    return heard


@pytest.mark.hostile("web-many-connections")
def test_an_address_has_a_number_of_connections_at_once(
    hasty: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "HEAD_S", PATIENCE_S)
    monkeypatch.setattr(serving, "MOST_OF_AN_ADDRESS", 1)
    monkeypatch.setattr(serving, "limited_address", lambda _: "203.0.113.7")
    with socket.create_connection(hasty, PATIENCE_S) as first:
        # It may be sent away while it still connects.
        with pytest.raises(ConnectionResetError), socket.create_connection(hasty, PATIENCE_S) as second:
            second.recv(1)
        first.sendall(b"GET /games HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert _all_of(first).startswith(b"HTTP/1.1 200 ")


def break_front_page(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Have the front page meet an error where it asks the arena."""

    def fail(_request: object) -> None:
        raise error

    monkeypatch.setattr("arena.web.pages.front.arena_of", fail)


@pytest.mark.hostile("web-leaves-amid-a-form")
def test_who_leaves_in_the_middle_of_a_form_is_no_fault_of_the_arena(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_front_page(monkeypatch, ClientDisconnect())
    monkeypatch.setattr(errors, "_LOG", None)  # whatever is logged fails
    assert client.get("/").status_code == 400


@pytest.mark.host_fault("disk-full-under-the-pages")
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "/srv/x"), DatabaseFullError("/srv/x"), DiskFullError("disk")])
def test_a_full_disk_is_told_in_one_sentence(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    break_front_page(monkeypatch, error)
    answer = client.get("/")
    assert (answer.status_code, "The disk of the arena is full" in answer.text) == (507, True)
    assert "/srv/x" not in answer.text


@pytest.mark.parametrize("error", [UnreachableError("unix:/srv/x"), ServiceError("the service at unix:/srv/x failed")])
def test_where_the_service_is_reached_is_told_to_nobody(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    break_front_page(monkeypatch, error)
    answer = client.get("/", headers={"accept-language": "de"})
    assert (answer.status_code, "antwortet gerade nicht" in answer.text) == (503, True)
    assert "/srv/x" not in answer.text
