"""How the server of the pages sends, and how it stops."""

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from arena.web.app import make_app
from arena.web.opening import open_site
from arena.web.serving import listen, make_server
from arena.web.shared.site import Site
from tests.support.patience import PATIENCE_S
from tests.support.web_server import served


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
