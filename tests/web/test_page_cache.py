"""Whole pages are kept for as long as nothing could have changed them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jinja2 import Template

from arena.web.app import make_app
from arena.web.middleware import caching as kept_pages
from arena.web.opening import open_site
from arena.web.shared.rendering import environment
from tests.support.played import copy_played
from tests.web.conftest import shared_by_all

PAGE = "/bots/greedy"


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A database that a test may change."""
    return copy_played(shared_by_all(tmp_path_factory), tmp_path / "own")


@pytest.fixture
def client(own: Path) -> Iterator[TestClient]:
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


def test_a_page_is_made_once_for_all_who_see_the_same(client: TestClient, rendered: list[str]) -> None:
    first = client.get(PAGE)
    assert client.get(PAGE).text == first.text
    assert rendered == ["pages/bot.html"]
    others = [client.get(PAGE, headers={"accept-language": "de"}), client.get(f"{PAGE}?lang=fr")]
    client.cookies.set("theme", "dark")
    others.append(client.get(PAGE))
    assert len({page.text for page in (first, *others)}) == 4
    assert len(rendered) == 4


def test_it_is_made_anew_once_anything_was_written(client: TestClient, own: Path, rendered: list[str]) -> None:
    assert "GREEDY" not in client.get(PAGE).text
    with closing(sqlite3.connect(own)) as connection, connection:
        connection.execute("UPDATE version SET message = 'GREEDY'")
    assert "GREEDY" in client.get(PAGE).text
    assert len(rendered) == 2


def test_it_is_made_anew_after_a_while(
    client: TestClient, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_pages, "LONGEST_S", 0.0)
    for _ in range(2):
        assert client.get(PAGE).status_code == 200
    assert len(rendered) == 2


def test_what_is_wrong_or_too_large_or_of_one_moment_is_not_kept(
    client: TestClient, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        assert client.get("/bots/nosuch").status_code == 404
        assert client.get("/").status_code == 200
    monkeypatch.setattr(kept_pages, "_MOST_BYTES_EACH", 1000)
    for _ in range(2):
        assert client.get(PAGE).status_code == 200
    assert rendered.count("pages/bot.html") == 2
    assert rendered.count("pages/front.html") == 2


def test_it_holds_no_more_than_it_has_room_for(
    client: TestClient, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(client.get(PAGE).content)
    monkeypatch.setattr(kept_pages, "_MOST_BYTES", size + 100)
    for page in ("/bots/random", PAGE, PAGE):
        assert client.get(page).status_code == 200
    assert rendered.count("pages/bot.html") == 3


def test_programs_are_answered_the_same_with_the_same_tag(client: TestClient) -> None:
    first, again = (client.get("/api/v1/bots/greedy") for _ in range(2))
    assert (first.json(), first.headers["etag"]) == (again.json(), again.headers["etag"])
    assert client.get("/api/v1/bots/greedy", headers={"if-none-match": first.headers["etag"]}).status_code == 304
