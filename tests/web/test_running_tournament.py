"""A tournament that goes on: its page asks for what changes, and shows nothing that must not be known yet."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from arena.client.here.viewer import Viewer
from arena.web.app import make_app
from arena.web.frame.answers import Answers
from arena.web.frame.site import Site
from ratings.ledger.ledger import Ledger
from ratings.store.states import Scope
from tests.client.world import World, fresh_world

OVER = {0, 1, 2}
"""The first block of two matches is over, of the second its first match; the others are being played."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with fresh_world(tmp_path_factory.mktemp("running"), OVER, game="rex_romanorum") as made:
        yield made


@pytest.fixture(scope="module")
def running(world: World) -> TestClient:
    return TestClient(make_app(Site(world.asked_by(Viewer(Scope.VIEWER)))))


def test_what_changes_is_asked_for_again_until_it_is_over(running: TestClient) -> None:
    page = running.get("/tournaments/rex").text
    assert 'hx-get="/tournaments/rex/state?lang=en" hx-trigger="every 4s"' in page
    assert "3 of 8 matches" in page
    assert "5 being played" in page
    state = running.get("/tournaments/rex/state")
    assert 'hx-trigger="every 4s"' in state.text
    assert "hx-refresh" not in state.headers


def test_a_match_whose_chance_is_to_be_met_again_shows_no_result(running: TestClient, world: World) -> None:
    assert "70 000 002" not in running.get("/matches?tournament=rex").text.replace("\u2009", " ")
    shown = running.get("/matches?tournament=rex&least_plies=1").text
    assert shown.count('class="mono"') == 2
    assert "hidden for now" in running.get("/matches?tournament=rex").text
    matches = world.asked_by(Viewer()).matches.list_matches("rex", limit=None).items
    hidden = next(row.id for row in matches if row.position == 3)
    answer = running.get(f"/api/v1/matches/{hidden}/replay")
    assert answer.status_code == 403
    assert "shown when every match of its block is over" in answer.json()["error"]["message"]


def test_a_tournament_is_read_again_when_something_was_written_and_it_has_rested(tmp_path: Path) -> None:
    with fresh_world(tmp_path, {0}, game="foreign_king") as made:
        _look_again(made)


def _look_again(world: World) -> None:
    now = [0.0]
    arena = world.asked_by(Viewer(Scope.VIEWER))
    answers = Answers(clock=lambda: now[0])
    first = answers.get_tournament(arena, "rex")
    now[0] = 100.0
    assert answers.get_tournament(arena, "rex") is first, "nothing was written meanwhile"
    Ledger(world.database).cancel(world.tournament)
    again = answers.get_tournament(arena, "rex")
    assert again.summary.status == "cancelled"


def test_a_comparison_leads_to_the_walk_of_its_test(tmp_path: Path) -> None:
    everything = set(range(8))
    with fresh_world(tmp_path, everything, game="rex_romanorum", is_comparison=True) as made:
        client = TestClient(make_app(Site(made.asked_by(Viewer(Scope.VIEWER)))))
        assert f'href="/compare/{made.tournament}"' in client.get("/tournaments/rex").text
        assert client.get(f"/compare/{made.tournament}").status_code == 200
