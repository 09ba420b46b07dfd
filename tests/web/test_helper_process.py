"""The processes of the pages: the server that sends and stops, and the one that does what takes long."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from arena.i18n.catalogue import translate
from arena.model.errors import UnknownError
from arena.model.port import ShownArena
from arena.model.ratings import Form
from arena.web.app import make_app, open_site
from arena.web.official_fitting import Fitter
from arena.web.serving import listen, make_server
from arena.web.shared.answer_cache import PATIENCE_S as PATIENCE_AT_ONCE_S
from arena.web.shared.answer_cache import AnswerCache, AnswerPendingError, VersionRecords
from arena.web.shared.helper_process import IDLE, HelperProcess
from arena.web.shared.official_tables import FitError
from arena.web.shared.rendering import POLLS
from arena.web.shared.site import Site
from arena.web.viewer.stories import render_story, story_renderer
from arena.web.warm_up import request_every_page
from ratings.store.database import open_database
from ratings.values.leaderboards import LeaderboardRow
from tests.support.patience import PATIENCE_S
from tests.support.places import wait_for_end
from tests.support.processes import wait_until
from tests.support.web_pages import served


@pytest.fixture(scope="module")
def helped(played: Path) -> Iterator[Site]:
    """A site with such a process."""
    with open_site(str(played), is_helped=True) as site:
        yield site


def helper_of(site: Site) -> HelperProcess:
    assert site.helper is not None
    return site.helper


def process_of(helper: HelperProcess) -> int | None:
    """None before it is started, and after it was seen to have ended."""
    return None if helper._process is None else helper._process.pid


def nothing() -> Any:
    raise AssertionError("the helper should have answered")


def test_the_helper_answers_as_the_arena_itself(helped: Site) -> None:
    helper, arena = helper_of(helped), helped.arena
    for question, arguments in (
        ("tournaments.get_tournament", ("duel",)),
        ("tournaments.list_pairings", ("cup",)),
        ("statistics.get_crosstable", ("three",)),
    ):
        part, _, name = question.partition(".")
        assert helper.ask(nothing, question, *arguments) == getattr(getattr(arena, part), name)(*arguments)
    rows = arena.overview.list_standings("greedy")
    record = helper.ask(nothing, "overview.get_record", rows[0].pool.pool_id, rows[0].version_id, points=50)
    assert record == arena.overview.get_record(rows[0].pool.pool_id, rows[0].version_id, 50)
    assert record.seats
    assert {one.bot for one in record.opponents} == {"random", "first"}


def test_a_match_is_told_elsewhere_word_for_word(helped: Site) -> None:
    match = helped.arena.matches.list_matches("match-1", limit=1).items[0].id
    told = story_renderer(helper_of(helped))(helped.arena, match, "de")
    assert told == render_story(helped.arena, match, "de")
    assert json.loads(gzip.decompress(told))["language"] == "de"


def test_a_question_that_fails_there_is_asked_here_with_its_error(helped: Site) -> None:
    answers = AnswerCache(helped.helper, patience_s=PATIENCE_S)
    for _ in range(2):
        with pytest.raises(UnknownError, match="nosuch"):
            answers.ask(helped.arena, "tournaments.list_confidence", "nosuch")


def test_ctrl_c_in_a_terminal_is_not_for_the_processes_of_the_pages(
    helped: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper_of(helped).start()
    process = process_of(helper_of(helped))
    assert process is not None
    assert (os.getpgid(process), os.getsid(process)) == (process, os.getsid(0)), "in a session it would not give way"
    telling = "import json, os; print(json.dumps({'why_not': str(os.getpgid(0) == os.getpid() != os.getsid(0))}))"
    monkeypatch.setattr("arena.web.official_fitting._COMMAND", (sys.executable, "-c", telling))
    with pytest.raises(FitError, match="True"):
        Fitter("any.db").fit("any")


def test_a_fit_that_ends_before_it_is_asked_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.official_fitting._COMMAND", (sys.executable, "-c", ""))
    with pytest.raises(FitError, match="ended without an answer"):
        Fitter("longer than a pipe holds " * 10_000).fit("any")


def test_why_a_table_cannot_be_fitted_is_told_in_every_language(played: Path) -> None:
    with pytest.raises(FitError, match="no pool 'nosuch'") as caught:
        Fitter(str(played)).fit("nosuch")
    assert translate(str(caught.value), "de").startswith("kein Pool 'nosuch'; ")


@pytest.mark.needs("minutes")
def test_a_helper_that_is_never_let_run_is_replaced_by_one_that_gives_way_less(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stopped here, as where bots take all of the machine."""
    helper = HelperProcess(str(played), IDLE, patience_s=0.2)
    try:
        helper.start()
        first = process_of(helper)
        assert first is not None
        wait_until(lambda: os.sched_getscheduler(first) == os.SCHED_IDLE)
        os.kill(first, signal.SIGSTOP)
        assert helper.ask(nothing, "overview.count_matches", "duel") > 0
        second = process_of(helper)
        assert second not in (None, first)
        assert os.sched_getscheduler(second or 0) == os.SCHED_OTHER
    finally:
        helper.close()
    fits = "import json, sys, time\nif json.loads(sys.stdin.readline())['niceness'] == 20: time.sleep(3600)"
    monkeypatch.setattr("arena.web.official_fitting._COMMAND", (sys.executable, "-c", f"{fits}\nprint('{{}}')"))
    with pytest.raises(KeyError, match="pool"):
        Fitter("any.db", patience_s=1.0).fit("any")


@pytest.mark.needs("minutes")
def test_a_helper_that_was_killed_is_replaced(played: Path) -> None:
    helper = HelperProcess(str(played))
    try:
        helper.start()
        first = process_of(helper)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert helper.ask(lambda: "here", "overview.count_matches", "duel") == "here"
        assert helper.ask(nothing, "overview.count_matches", "duel") > 0
        second = process_of(helper)
        assert second not in (None, first)
    finally:
        helper.close()
    assert wait_for_end(second or 0, 60)
    assert helper.ask(lambda: "here", "overview.count_matches", "duel") == "here"


@dataclass
class Counting:
    """An arena that counts what it is asked."""

    asked: list[list[str]] = field(default_factory=list)

    @property
    def overview(self) -> Counting:
        return self

    def list_forms(self, _pool: str, versions: list[str]) -> dict[str, Form]:
        self.asked.append(versions)
        return {version: Form(version, (1.0, 2.0), 1.0, len(self.asked)) for version in versions}


ROW = LeaderboardRow(
    rank=1,
    version_id="a",
    bot="ann",
    number=1,
    content_hash="00",
    owner=None,
    mu=25.0,
    sigma=1.0,
    exposure=22.0,
    matches=10,
    wins=5,
    score=0.5,
    disabled=False,
)


def test_how_a_version_did_is_read_again_once_its_rating_is_another_one() -> None:
    arena, records = Counting(), VersionRecords()
    other = replace(ROW, version_id="b")
    first = records.forms(arena, "p", [ROW], nothing)  # type: ignore[arg-type] # it is asked nothing else
    assert records.forms(arena, "p", [ROW, other], nothing)["a"] == first["a"]  # type: ignore[arg-type]
    again = records.forms(arena, "p", [replace(ROW, mu=25.1), other], nothing)  # type: ignore[arg-type]
    assert again["a"].faults == 3
    assert list(records.forms(arena, "another", [ROW], nothing)) == ["a"]  # type: ignore[arg-type]
    assert arena.asked == [["a"], ["b"], ["a"], ["a"]]


@dataclass
class Slow:
    """A helper that answers when it is let."""

    may_answer: threading.Event = field(default_factory=threading.Event)

    def ask(self, otherwise: Callable[[], Any], *_question: Any, **_more: Any) -> Any:
        assert self.may_answer.wait(PATIENCE_S)
        return otherwise()

    def start(self) -> None:
        pass


@pytest.fixture
def slow() -> Iterator[Slow]:
    made = Slow()
    yield made
    made.may_answer.set()


@pytest.fixture
def client(played: Path, slow: Slow, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr("arena.web.shared.answer_cache._PATIENCE_SMALL_S", PATIENCE_AT_ONCE_S)
    monkeypatch.setattr("arena.web.shared.answer_cache._FEW", -1)
    with open_site(str(played)) as site:
        helper = cast("HelperProcess", slow)
        yield TestClient(make_app(replace(site, helper=helper, counter=helper)))


def test_a_page_that_takes_long_says_so_and_follows_when_it_is_there(client: TestClient, slow: Slow) -> None:
    page = client.get("/tournaments/duel?lang=de")
    assert (page.status_code, page.headers["cache-control"]) == (202, "no-store")
    assert "Einen Augenblick" in page.text
    assert 'hx-get="/tournaments/duel?lang=de"' in page.text
    waiting = client.get("/tournaments/duel?lang=de", headers={"hx-request": "true", POLLS: "yes"})
    assert (waiting.status_code, POLLS in waiting.text, "<html" in waiting.text) == (202, True, False)
    part = client.get("/tournaments/duel/state", headers={"hx-request": "true"})
    assert (part.status_code, POLLS in part.text, "<html" in part.text) == (202, False, False)
    slow.may_answer.set()

    def is_there() -> bool:
        found = client.get("/tournaments/duel?lang=de", headers={"hx-request": "true", POLLS: "yes"})
        assert found.status_code in {200, 202}
        return found.headers.get("hx-refresh") == "true"

    wait_until(is_there)
    assert client.get("/tournaments/duel?lang=de").status_code == 200


def test_a_program_is_told_when_to_ask_again(client: TestClient, slow: Slow) -> None:
    answer = client.get("/api/v1/tournaments/duel/standings")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert "ask again in a second" in answer.json()["error"]["message"]
    slow.may_answer.set()
    wait_until(lambda: client.get("/api/v1/tournaments/duel/standings").status_code == 200)


def test_an_unknown_tournament_is_not_waited_for(client: TestClient) -> None:
    assert client.get("/tournaments/nosuch").status_code == 404


def test_while_an_answer_is_made_anew_the_one_before_is_given_with_its_age(slow: Slow) -> None:
    now, marks = [0.0], [1]
    overview = SimpleNamespace(mark=lambda: marks[0], count=lambda: marks[0])
    arena = cast("ShownArena", SimpleNamespace(overview=overview))
    answers = AnswerCache(cast("HelperProcess", slow), clock=lambda: now[0])
    with pytest.raises(AnswerPendingError):
        answers.ask(arena, "overview.count")
    slow.may_answer.set()
    answer = answer_of(answers, arena)
    assert (answer.answer, answer.age_s) == (1, 0.0)
    slow.may_answer.clear()
    marks[0], now[0] = 2, 100.0
    old = answers.ask(arena, "overview.count")
    assert (old.answer, old.age_s) == (1, 100.0)
    slow.may_answer.set()
    wait_until(lambda: answer_of(answers, arena).answer == 2)
    slow.may_answer.clear()
    marks[0], now[0] = 3, 10_000.0
    with pytest.raises(AnswerPendingError):
        answers.ask(arena, "overview.count")


def answer_of(answers: AnswerCache, arena: ShownArena) -> Any:
    found: list[Any] = []

    def is_there() -> bool:
        try:
            found.append(answers.ask(arena, "overview.count"))
        except AnswerPendingError:
            return False
        return True

    wait_until(is_there)
    return found[-1]


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
