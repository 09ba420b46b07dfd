"""Two services that share a database: what must be done once is done by one of them, and by the other after its end."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.support.patience import ANY_TIME
from tests.support.places import CHOICES, Place, write_quick_bot
from tests.support.processes import wait_until
from tests.support.serving import Served, serving

PLAYED = 'arena_matches_total{activity="ladder"}'
LEADS, FOLLOWS = "looks after admissions, ladders and seasons", "leaves admissions, ladders and seasons to another"


@pytest.fixture
def places(url: str, tmp_path: Path) -> list[Place]:
    """Two homes whose commands and services have one database, and one directory for the files of bots."""
    made = []
    (tmp_path / "versions").mkdir()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        place = Place(tmp_path / name)
        place.environment |= {"ARENA_DB": url, "ARENA_STORE": str(tmp_path / "versions")}
        made.append(place)
    for choice in CHOICES:
        made[0].ok("bot", "add", write_quick_bot(tmp_path / choice, choice))
    return made


def played(served: Served) -> int:
    return int(served.metric(PLAYED))


@pytest.mark.host_fault("service-killed")
def test_a_ladder_goes_on_with_the_other_service_when_the_one_that_played_it_is_killed(
    places: list[Place], url: str
) -> None:
    one, two = places
    one.ok("ladder", "open", "king2", "--game", "foreign_king", "--seats", "2", "--matches-per-day", "0", *ANY_TIME)
    with serving(two, "--database", url) as other, serving(one, "--database", url) as first:
        pair = [first, other]
        wait_until(lambda: sum(map(played, pair)) >= 4)
        leader = max(pair, key=played)
        (follower,) = [served for served in pair if served is not leader]
        assert played(follower) == 0
        leader.terminal.wait_for(LEADS)
        follower.terminal.wait_for(FOLLOWS)
        os.kill(leader.pid, signal.SIGKILL)
        wait_until(lambda: played(follower) >= 4)
        one.ok("ladder", "close", "king2", "--why", "the class is over")
        wait_until(lambda: not one.ok("match", "list", "--state", "leased", "--json").json)
        assert follower.stop() == 0
    assert one.ok("ladder", "list", "--json").json[0]["state"] == "closed"
    one.ok("db", "check")
