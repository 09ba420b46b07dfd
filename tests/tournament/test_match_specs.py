"""What a leased match is played with: in pools of remote bots no match tells the chance of another."""

from __future__ import annotations

from typing import Any, cast

import pytest

from arena.tournament.formats import seeds
from arena.tournament.match_specs import MatchSpecs
from engine import registry
from ratings.ledger.leasing import LeasedMatch, LeasedSeat
from ratings.store.models import PoolRecord, TournamentRecord

SECRET = bytes(32)
OF_BLOCK = 7


def chance_seeds(*, remote: bool) -> list[int]:
    """The seeds of two blocks of two matches."""
    game = registry.get("rex_romanorum")
    pool = PoolRecord(
        id="p", game=game.name, rules_version=game.rules_version, seats=2, options={}, time_control="1s", cores=1,
        mu=25, sigma=8, beta=4, tau=0.1, draw_probability=0, created_at_us=0, remote=remote,
    )  # fmt: skip
    settings = {"start_limit_us": 1, "margin_us": 1, "opening_plies": 0}
    tournament = TournamentRecord(
        id="t", name="t", format="roundrobin", pool_id="p", secret=SECRET.hex(), seeded=False, settings=settings,
        rated=True, created_at_us=0,
    )  # fmt: skip
    specs = MatchSpecs(tournament, pool, cast(Any, None))
    return [specs.spec(leased(block, rotation)).chance_seed for block in range(2) for rotation in range(2)]


def leased(block: int, rotation: int) -> LeasedMatch:
    seats = tuple(LeasedSeat(name, "v" + name, "ada", is_remote=True) for name in ("ada/fox", "ada/owl"))
    return LeasedMatch("m", 1, 0, block, rotation, (), OF_BLOCK, seats)


def test_hosted_bots_play_all_matches_of_a_block_with_its_chance() -> None:
    assert chance_seeds(remote=False) == [OF_BLOCK] * 4


@pytest.mark.hostile("remember-the-chance-of-a-block")
def test_remote_bots_which_remember_what_they_saw_meet_the_same_chance_in_no_two_matches() -> None:
    found = chance_seeds(remote=True)
    assert len({*found, OF_BLOCK}) == 5
    assert found[3] == seeds.match_chance_seed(SECRET, 1, 1)


@pytest.mark.parametrize("place", [(0, 0), (1, 0), (0, 1)])
def test_the_chance_of_a_match_is_none_of_a_blocks(place: tuple[int, int]) -> None:
    assert seeds.match_chance_seed(SECRET, *place) not in {seeds.chance_seed(SECRET, block) for block in range(20)}
