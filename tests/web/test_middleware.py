"""What keeps pages from being misused, by hostile requests too; which are kept, and what is said of what is wrong."""

from __future__ import annotations

import errno
import hashlib
import json
import select
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jinja2 import Template
from starlette.requests import ClientDisconnect

from arena.hosting.manifest import BotDirectoryError
from arena.model.errors import HiddenError, RefusedError
from arena.rpc.errors import DiskFullError, LoginError, ServiceError, UnreachableError
from arena.web import serving
from arena.web.app import make_app, open_site
from arena.web.middleware import caching as kept_pages
from arena.web.middleware import errors
from arena.web.middleware import rate_limits as limits
from arena.web.middleware import request_checks as bodies
from arena.web.middleware.errors import status_of
from arena.web.middleware.rate_limits import TokenBuckets
from arena.web.middleware.request_checks import is_known, is_this_machine
from arena.web.middleware.response_headers import HEADERS
from arena.web.shared.rendering import STATIC, environment
from arena.web.shared.visitor import LANGUAGE_COOKIE
from engine.errors import InvariantError, OptionsError, UnknownGameError
from ratings.errors import DatabaseFullError, LimitError, PlanError, SchemaVersionError
from ratings.store.database import open_database
from tests.support.patience import PATIENCE_S
from tests.support.web_pages import copy_played, served
from tests.web.conftest import shared_by_all

VENDORED = json.loads((STATIC / "vendor" / "vendor.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", ["/", "/nothing/here", "/static/css/base.css"])
def test_every_answer_has_the_headers_that_protect_it(client: TestClient, path: str) -> None:
    assert HEADERS.items() <= dict(client.get(path).headers).items()


def test_an_unknown_address_is_a_page_that_says_so(client: TestClient) -> None:
    answer = client.get("/nothing/here", headers={"accept-language": "de"})
    assert answer.status_code == 404
    assert "Hier ist nichts" in answer.text


def test_what_went_wrong_is_told_in_the_language_of_the_visitor(client: TestClient) -> None:
    page = client.get("/bots/gredy", headers={"accept-language": "de"})
    assert (page.status_code, "es gibt keinen Bot &#39;gredy&#39;; gemeint war vielleicht" in page.text) == (404, True)
    for language, said in {"fr": "il n\u2019y a pas de bot", "nl": "there is no bot"}.items():
        answer = client.get("/api/v1/bots/gredy", headers={"accept-language": language})
        assert answer.json()["error"]["message"].startswith(said)
    assert "Accept-Language" in answer.headers["vary"]


@pytest.mark.hostile("web-markup-as-text")
def test_what_a_visitor_wrote_is_nothing_but_text_in_every_language(client: TestClient) -> None:
    for language in ("en", "de", "fr", "it"):
        page = client.get("/bots/<script>alert(1)<\u200fscript>{why}", params={"lang": language})
        assert page.status_code in {400, 404}
        assert "<script>alert" not in page.text


def test_a_fault_of_ours_is_a_page_without_a_trace(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_request: object) -> None:
        raise RuntimeError("the secret reason")

    monkeypatch.setattr("arena.web.pages.front.arena_of", fail)
    answer = TestClient(client.app, raise_server_exceptions=False).get("/")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (LookupError(), 500),
        (BotDirectoryError("/home/of/the/organiser"), 500),  # it names a place, and no visitor asks for a directory
        (InvariantError(), 500),
        (UnknownGameError(), 404),
        (OptionsError(), 400),
        (PlanError(), 409),
        (DatabaseFullError(), 507),
        (SchemaVersionError(), 503),
        (HiddenError(), 403),
        (RefusedError(), 400),
        (LoginError(), 403),
        (LimitError(), 429),
        (UnreachableError(), 503),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_an_error_has_the_status_of_its_kind_if_it_is_for_visitors(error: Exception, status: int) -> None:
    assert status_of(error) == status


@pytest.mark.hostile("web-lead-elsewhere")
@pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "x"])
def test_a_choice_leads_nowhere_else(client: TestClient, back: str) -> None:
    answer = client.post("/preferences", data={"back": back, "lang": "fr"}, follow_redirects=False)
    assert answer.headers["location"] == "/"
    assert f"{LANGUAGE_COOKIE}=fr" in answer.headers["set-cookie"]
    client.cookies.clear()


def test_vendored_files_are_what_their_authors_published() -> None:
    files = {file.name for file in (STATIC / "vendor").iterdir()} - {"vendor.json"}
    named = {name for entry in VENDORED for name in (*entry["files"], entry["licence_file"])}
    assert files == named
    for entry in VENDORED:
        for name, digest in entry["files"].items():
            assert hashlib.sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == digest


def test_no_page_names_another_host() -> None:
    for file in Path(STATIC).parent.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert "https://" not in text
        assert " style=" not in text
        assert "<script>" not in text


PAGE = "/bots/greedy"


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A database that a test may change."""
    return copy_played(shared_by_all(tmp_path_factory), tmp_path / "own")


@pytest.fixture
def own_client(own: Path) -> Iterator[TestClient]:
    with open_site(str(own)) as site:
        yield TestClient(make_app(site))


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that are rendered."""
    found: list[str] = []
    get = environment().get_template

    def note(name: str, *parent: Any) -> Template:
        if not parent:
            found.append(name)
        return get(name, *parent)

    monkeypatch.setattr(environment(), "get_template", note)
    return found


def test_a_page_is_made_once_for_all_who_see_the_same(own_client: TestClient, rendered: list[str]) -> None:
    first = own_client.get(PAGE)
    assert own_client.get(PAGE).text == first.text
    assert rendered == ["pages/bot.html"]
    others = [own_client.get(PAGE, headers={"accept-language": "de"}), own_client.get(f"{PAGE}?lang=fr")]
    own_client.cookies.set("theme", "dark")
    others.append(own_client.get(PAGE))
    assert len({page.text for page in (first, *others)}) == 4
    assert len(rendered) == 4


def test_it_is_made_anew_once_anything_was_written(own_client: TestClient, own: Path, rendered: list[str]) -> None:
    assert "GREEDY" not in own_client.get(PAGE).text
    with closing(sqlite3.connect(own)) as connection, connection:
        connection.execute("UPDATE version SET message = 'GREEDY'")
    assert "GREEDY" in own_client.get(PAGE).text
    assert len(rendered) == 2


def test_it_is_made_anew_after_a_while(
    own_client: TestClient, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_pages, "LONGEST_S", 0.0)
    for _ in range(2):
        assert own_client.get(PAGE).status_code == 200
    assert len(rendered) == 2


def test_what_is_wrong_or_too_large_or_of_one_moment_is_not_kept(
    own_client: TestClient, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        assert own_client.get("/bots/nosuch").status_code == 404
        assert own_client.get("/").status_code == 200
    monkeypatch.setattr(kept_pages, "_MOST_BYTES_EACH", 1000)
    for _ in range(2):
        assert own_client.get(PAGE).status_code == 200
    assert rendered.count("pages/bot.html") == 2
    assert rendered.count("pages/front.html") == 2


def test_it_holds_no_more_than_it_has_room_for(
    own_client: TestClient, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(own_client.get(PAGE).content)
    monkeypatch.setattr(kept_pages, "_MOST_BYTES", size + 100)
    for page in ("/bots/random", PAGE, PAGE):
        assert own_client.get(page).status_code == 200
    assert rendered.count("pages/bot.html") == 3


def test_programs_are_answered_the_same_with_the_same_tag(own_client: TestClient) -> None:
    first, again = (own_client.get("/api/v1/bots/greedy") for _ in range(2))
    assert (first.json(), first.headers["etag"]) == (again.json(), again.headers["etag"])
    assert own_client.get("/api/v1/bots/greedy", headers={"if-none-match": first.headers["etag"]}).status_code == 304


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
