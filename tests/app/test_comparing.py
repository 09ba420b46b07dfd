"""How a comparison went, drawn from its matches by whoever looks at it."""

from pathlib import Path

import pytest

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.model.errors import RefusedError
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
