"""The commands that play on a cluster, and the one that shows it, as people run them."""

from pathlib import Path

import pytest

from tests.support.patience import ANY_TIME
from tests.support.places import Place, write_quick_bot
from tests.support.serving import plan, serving, wait_for_counts
from tests.support.small_cluster import SmallCluster

BOTS = ("first", "last", "drawn")
ORDER = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3", "--bots", ",".join(BOTS))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.here("bot", "add", *(write_quick_bot(tmp_path / name, name) for name in BOTS))
    return made


def table(place: Place, name: str) -> object:
    return place.here("tournament", "standings", name, "--json").json


def test_a_tournament_is_the_same_on_a_cluster_and_here_and_nothing_of_ray_is_said(
    cluster: SmallCluster, place: Place
) -> None:
    order = (*ORDER, "--blocks", "2", "--seed", "5", *ANY_TIME)
    there = place.arena(*order, "--name", "there", "--executor", "ray", "--address", cluster.address)
    assert there.code == 0, there.err
    here = place.arena(*order, "--name", "here")
    assert [line for line in there.err.splitlines() if "matches" not in line and line] == [
        line.replace("here", "there") for line in here.err.splitlines() if "matches" not in line and line
    ]
    assert table(place, "there") == table(place, "here")


def test_the_machines_are_shown_with_what_they_have(cluster: SmallCluster, place: Place) -> None:
    (machine,) = place.arena("cluster", "show", "--address", cluster.address, "--json").json
    assert (machine["state"], machine["why"], machine["cores"], machine["slots"]) == ("ready", "", 1, 0)
    assert (machine["finished"], machine["void"]) == (0, 0)
    shown = place.arena("cluster", "show", "--address", cluster.address)
    assert shown.code == 0
    assert "ready" in shown.out
    assert shown.err == ""


def test_a_service_plays_on_the_cluster_that_its_settings_name(cluster: SmallCluster, place: Place) -> None:
    plan(place, blocks=2)
    with serving(place, "--executor", "ray", "--ray-address", cluster.address) as served:
        wait_for_counts(place, {"finished": 6})
        (machine,) = place.arena("cluster", "show", "--address", cluster.address, "--json").json
        assert machine["slots"] == 1
        assert served.stop() == 0
