"""What keeps pages from being misused, what a visitor sees when something is wrong, and which pages are kept."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jinja2 import Template

from arena.hosting.manifest import BotDirectoryError
from arena.model.errors import HiddenError, RefusedError
from arena.rpc.errors import LoginError, UnreachableError
from arena.web.app import make_app, open_site
from arena.web.middleware import caching as kept_pages
from arena.web.middleware.errors import status_of
from arena.web.middleware.response_headers import HEADERS
from arena.web.shared.rendering import STATIC, environment
from arena.web.shared.visitor import LANGUAGE_COOKIE
from engine.errors import InvariantError, OptionsError, UnknownGameError
from ratings.errors import DatabaseFullError, LimitError, PlanError, SchemaVersionError
from tests.support.web_pages import copy_played
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
