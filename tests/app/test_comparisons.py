"""Comparisons as people see them: drawn from their matches, and the line that is followed while one plays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.model.errors import RefusedError
from arena.model.tournaments import ComparisonResult, comparison_note, elo_text
from ratings.values.states import Scope
from tests.app.world import make_world

WATCHER = Viewer(Scope.VIEWER)


def test_the_walk_begins_at_nothing_and_ends_at_what_is_known(empty: Path, tmp_path: Path) -> None:
    from fastapi.testclient import TestClient

    from arena.web.app import make_app
    from arena.web.shared.site import Site

    with make_world(empty, tmp_path, range(8), game="foreign_king", is_comparison=True) as world:
        arena: LocalArena = world.asked_by(WATCHER)
        walk = arena.overview.walk_comparison(world.tournament, 100)
        known = arena.tournaments.get_tournament(world.tournament).comparison
        assert known is not None
        assert [point.pairs for point in walk] == [0, 1, 2]
        assert walk[0].log_ratio == 0.0
        assert walk[-1].log_ratio == known.log_ratio
        assert [point.pairs for point in arena.overview.walk_comparison(world.tournament, 1)] == [0, 2]
        client = TestClient(make_app(Site(arena)))
        assert f'href="/compare/{world.tournament}"' in client.get(f"/tournaments/{world.tournament}").text
        text = client.get(f"/compare/{world.tournament}").text
        assert 'class="bound good"' in text
        assert text.count("polyline") == 1


def test_the_walk_ends_before_the_first_pair_that_is_not_over(empty: Path, tmp_path: Path) -> None:
    with make_world(empty, tmp_path, range(5), game="foreign_king", is_comparison=True) as world:
        walk = world.asked_by(WATCHER).overview.walk_comparison(world.tournament, 100)
        assert [point.pairs for point in walk] == [0, 1]


def test_what_compares_nothing_has_no_walk(empty: Path, tmp_path: Path) -> None:
    with (
        make_world(empty, tmp_path, range(2), game="foreign_king") as world,
        pytest.raises(RefusedError, match="compares nothing"),
    ):
        world.asked_by(WATCHER).overview.walk_comparison(world.tournament, 100)


FOUND = ComparisonResult(
    answer=None,
    log_ratio=-1.25,
    bounds=(-3.0, 3.0),
    mean=-0.03,
    error=0.02,
    pairs=40,
    answered_after=None,
    games=80,
    identical_games=0,
    identical_pairs=0,
    wins=30,
    ties=4,
    losses=46,
    low=-0.07,
    high=0.01,
    superiority=0.0668,
)


def test_it_tells_outcomes_gain_superiority_and_ratio() -> None:
    assert comparison_note(FOUND) == "W/D/L 30/4/46, -21 Elo (-49..+7), LOS 6.7%, log ratio -1.25 (-3.00..3.00)"


@pytest.mark.parametrize("forfeits", [(68, 0), (0, 3)])
def test_forfeits_are_told_where_there_are_any(forfeits: tuple[int, int]) -> None:
    new, old = forfeits
    note = comparison_note(replace(FOUND, new_forfeits=new, old_forfeits=old))
    assert note.endswith(f", forfeits NEW {new}, OLD {old}")


@pytest.mark.parametrize(("gain", "told"), [(0.5, ">+800"), (-0.5, "<-800"), (0.0, "+0"), (0.249, "+190")])
def test_an_elo_is_told_as_far_as_a_score_shows_it(gain: float, told: str) -> None:
    assert elo_text(gain) == told
