"""How the server of the pages sends and stops, and that it looks at every kind of page before the first visitor."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from arena.web.app import make_app, open_site
from arena.web.serving import listen, make_server
from arena.web.shared.site import Site
from arena.web.warm_up import request_every_page
from ratings.store.database import open_database
from tests.support.patience import PATIENCE_S
from tests.support.web_pages import served


@pytest.fixture
def site(played: Path) -> Iterator[Site]:
    with open_site(str(played)) as found:
        yield found


def test_no_part_of_an_answer_is_held_back_until_the_part_before_is_confirmed() -> None:
    async def look() -> int:
        seen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def accept(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            seen.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = listen("127.0.0.1", 0)
        async with await asyncio.start_server(accept, sock=listening), asyncio.timeout(PATIENCE_S):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            writer.close()
            return await seen

    assert asyncio.run(look()) == 1


def test_a_second_ctrl_c_does_not_break_the_stop_off(site: Site) -> None:
    server = make_server(make_app(site))
    for _ in range(2):
        server.handle_exit(signal.SIGINT, None)
    assert (server.should_exit, server.force_exit) == (True, False)


def test_an_answer_that_hangs_when_the_pages_stop_is_a_sentence_and_no_trace(
    site: Site, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.serving.GRACE_S", 0)
    app, asked, free = make_app(site), threading.Event(), threading.Event()

    @app.get("/hangs")
    def hang() -> None:
        asked.set()
        free.wait(PATIENCE_S)

    logging.getLogger("uvicorn.error").addHandler(caplog.handler)  # which passes nothing on
    try:
        with served(app) as address:
            connection = HTTPConnection(address.removeprefix("http://"), timeout=PATIENCE_S)
            connection.request("GET", "/hangs")
            assert asked.wait(PATIENCE_S)
        answer = connection.getresponse()
        assert (answer.status, b"being stopped" in answer.read()) == (503, True)
        assert [record.getMessage() for record in caplog.records if record.exc_info] == []
    finally:
        free.set()
        logging.getLogger("uvicorn.error").removeHandler(caplog.handler)


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
