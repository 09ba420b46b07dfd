"""The commands that play on a cluster, and the one that shows it, as people run them."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.patience import ANY_TIME
from tests.support.places import Place, Terminal, plan, serving, wait_for_counts, write_quick_bot
from tests.support.processes import wait_until
from tests.support.small_cluster import SmallCluster, port_that_stays_free, small_cluster

BOTS = ("first", "last", "drawn")
ORDER = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3", "--bots", ",".join(BOTS))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return add_bots(Place(tmp_path))


def add_bots(place: Place) -> Place:
    place.ok("bot", "add", *(write_quick_bot(place.directory / name, name) for name in BOTS))
    return place


def table(place: Place, name: str) -> object:
    return place.here("tournament", "standings", name, "--json").json


def test_a_tournament_is_the_same_on_a_cluster_and_here_and_nothing_of_ray_is_said(
    cluster: SmallCluster, place: Place
) -> None:
    order = (*ORDER, "--blocks", "1", "--seed", "5", *ANY_TIME)
    there = place.arena(*order, "--name", "there", "--executor", "ray", "--address", cluster.address)
    assert there.code == 0, there.err
    here = place.ok(*order, "--name", "here")

    def told(err: str) -> list[str]:
        # A commitment has the time in it.
        return [line for line in err.splitlines() if line and "matches" not in line and "commitment" not in line]

    assert told(there.err) == told(here.err.replace("here", "there"))
    assert table(place, "there") == table(place, "here")


def test_the_machines_are_shown_with_what_they_have(cluster: SmallCluster, place: Place) -> None:
    (machine,) = place.ok("cluster", "show", "--address", cluster.address, "--json").json
    assert (machine["state"], machine["why"], machine["cores"], machine["slots"]) == ("ready", "", 1, 0)
    assert (machine["finished"], machine["void"]) == (0, 0)
    shown = place.arena("cluster", "show", "--address", cluster.address)
    assert shown.code == 0
    assert "ready" in shown.out
    assert shown.err == ""


def test_a_service_plays_on_the_cluster_that_its_settings_name_and_a_run_beside_it_says_that_it_waits(
    cluster: SmallCluster, place: Place, tmp_path: Path
) -> None:
    plan(place, blocks=1)
    with serving(place, "--executor", "ray", "--ray-address", cluster.address) as served:
        wait_for_counts(place, {"finished": 3})
        (machine,) = place.ok("cluster", "show", "--address", cluster.address, "--json").json
        assert machine["slots"] == 1
        other = Place(tmp_path / "other")
        with waiting(other, cluster) as run:
            run.wait_for("arena: others hold all cores of the cluster; this waits 120 s for one")
            os.kill(run.process.pid, signal.SIGTERM)
            assert run.end() != 0
        assert served.stop() == 0
    assert [text for text in (run.text, served.terminal.text) if "***" in text] == []  # Ray's stack at SIGTERM


@contextmanager
def waiting(place: Place, cluster: SmallCluster) -> Iterator[Terminal]:
    """A run of a tournament on a cluster where another one has all cores."""
    place.directory.mkdir()
    add_bots(place)
    order = (*ORDER, "--blocks", "1", "--executor", "ray", "--address", cluster.address)
    with place.on_terminal(*order) as terminal:
        yield terminal


@pytest.mark.host_fault("head-lost-and-back")
@pytest.mark.needs("ray")
def test_a_service_outlives_the_head_and_plays_when_another_one_is_in_its_place(place: Place) -> None:
    port = port_that_stays_free()
    with (
        small_cluster(port=port) as cluster,
        serving(place, "--executor", "ray", "--ray-address", cluster.address) as served,
    ):
        plan(place, blocks=1)
        wait_for_counts(place, {"finished": 3})
        cluster.kill_head()
        plan(place, blocks=1, name="tuesday")
        served.terminal.wait_for("host failed")
        # It may have said so before: where a machine is busy, the cluster may have been too slow at first.
        wait_until(lambda: served.get("/health")[0] == 503)
        with small_cluster(port=port):
            wait_for_counts(place, {"finished": 6})
            assert served.stop() == 0
    assert "***" not in served.terminal.text
