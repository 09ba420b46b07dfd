"""Pages that take long are made in the background: who asks is told so at once, and shown them when they are there."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from arena.model.port import ShownArena
from arena.web.app import make_app
from arena.web.opening import open_site
from arena.web.shared.answer_cache import PATIENCE_S as PATIENCE_AT_ONCE_S
from arena.web.shared.answer_cache import AnswerCache, AnswerPendingError
from arena.web.shared.helper import HelperProcess
from arena.web.shared.rendering import POLLS
from tests.support.patience import PATIENCE_S
from tests.support.processes import wait_until


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
