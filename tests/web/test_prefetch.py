"""Before the first visitor comes, one page of every kind is looked at."""

from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from arena.web.app import make_app
from arena.web.opening import open_site
from arena.web.prefetch import request_every_page
from ratings.store.database import open_database


def seen(db: Path) -> dict[str, int]:
    """The addresses that are looked at, with the status of each."""
    found = {}
    with open_site(str(db)) as site:
        app = make_app(site)

        async def noted(scope: Scope, receive: Receive, send: Send) -> None:
            async def note(message: Message) -> None:
                if message["type"] == "http.response.start":
                    found[scope["path"]] = message["status"]
                await send(message)

            await app(scope, receive, note)

        request_every_page(noted, site.arena)
    return found


def test_every_page_that_is_looked_at_is_there(played: Path) -> None:
    found = seen(played)
    assert set(found.values()) == {200}, found
    rooms = ("/leaderboards/", "/bots/", "/bot-times/", "/matches/", "/tournaments/", "/api/v1/")
    assert all(any(path.startswith(room) for path in found) for room in rooms)


def test_an_empty_arena_is_looked_at_too(tmp_path: Path) -> None:
    open_database(tmp_path / "empty.db").close()
    assert set(seen(tmp_path / "empty.db").values()) == {200}


def test_a_database_that_is_gone_stops_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    open_database(tmp_path / "gone.db").close()
    with open_site(str(tmp_path / "gone.db")) as site:
        app = make_app(site)
        (tmp_path / "gone.db").unlink()
        request_every_page(app, site.arena)
    assert "Traceback" not in capsys.readouterr().out
