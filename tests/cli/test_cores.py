"""Where matches are played: the cores that `--cores` grants each bot, and what is refused of `--executor ray`."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli.shared import match_order as request
from arena.cli.shared.hosting import read_hosting
from arena.executor.interface import ExecutorFailedError
from arena.executor.ray import session
from arena.executor.ray.executor import RayExecutor
from arena.executor.ray.head_address import Head
from arena.executor.ray.proving import RayOptions
from arena.hosting.procfs.machine import count_cores
from tests.cli.support import Arena, write_bot
from tests.support.patience import ANY_TIME

TELLING = """
import os
from bots.kit import Bot, run

class Telling(Bot):
    uses_engine = False

    def decide(self, decision):
        decision.note = f"{sorted(os.sched_getaffinity(0))} {decision.match.cores}"
        return decision.legal_actions[0]

run(Telling())
"""
MATCH = ("match", "run", "--game", "foreign_king", "--bots", "telling,other", "--seed", "1", *ANY_TIME)
needs_two = pytest.mark.skipif(count_cores() < 2, reason="this machine has one core")
DUEL = ("match", "run", "--game", "foreign_king", "--bots", "ada,bob", "--option", "max_rounds=1", "--rated", "--json")


@pytest.fixture
def bots(arena: Arena, tmp_path: Path) -> Arena:
    for name in ("telling", "other"):
        write_bot(tmp_path / name, name, TELLING)
        assert arena("bot", "add", tmp_path / name).code == 0
    return arena


def with_cores(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(request, "count_cores", lambda: number)


def notes(arena: Arena, match: str) -> set[str]:
    """What the bots said of themselves in a match."""
    entries = arena("replay", "show", match, "--json").json["entries"]
    return {entry["note"] for entry in entries if entry.get("note")}


@needs_two
@pytest.mark.needs("minutes")
def test_each_bot_has_the_cores_that_it_is_granted_and_is_told(bots: Arena) -> None:
    there = sorted(os.sched_getaffinity(0))
    for cores, words in ((1, ()), (2, ("--cores", "2"))):
        played = bots(*MATCH, *words, "--json").json
        assert (played["pool"]["cores"], played["faults"]) == (cores, [])
        (said,) = notes(bots, played["match_id"])
        assert said.endswith(f"] {cores}")
        assert len(json.loads(said.rpartition(" ")[0])) == cores
        assert set(json.loads(said.rpartition(" ")[0])) <= set(there)
    assert bots("replay", "verify", "--all").code == 0


def test_matches_with_other_cores_are_another_pool_which_says_so(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    with_cores(monkeypatch, 4)
    one, two = (table(*DUEL, *words).json["pool"] for words in ((), ("--cores", "2")))
    assert (one["cores"], two["cores"]) == (1, 2)
    assert one["pool_id"] != two["pool_id"]
    assert "2 cores" in table("leaderboard", "--pool", two["pool_id"]).out
    assert "cores" not in table("leaderboard", "--pool", one["pool_id"]).out
    assert table("replay", "verify", "--all").code == 0


def test_a_machine_that_has_fewer_says_so_before_anything_is_written(
    table: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_cores(monkeypatch, 4)
    refused = table(*DUEL, "--cores", "5")
    assert refused.code == 2
    assert "each bot is to get 5 cores, and there are 4 here; use --cores 4 or fewer" in refused.err
    words = ("--game", "foreign_king", "--seats", "2", "--bots", "ada,bob", "--cores", "2", "--workers", "3")
    refused = table("tournament", "run", "round-robin", *words)
    assert refused.code == 2
    assert "3 workers with 2 cores each need 6, and there are 4 here; use --workers 2 or fewer" in refused.err
    refused = table("compare", "ada", "bob", "--game", "foreign_king", "--cores", "5")
    assert (refused.code, "use --cores 4 or fewer" in refused.err) == (2, True)
    assert table("tournament", "list", "--json").json == []


def test_as_many_matches_are_played_at_once_as_there_are_cores_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with_cores(monkeypatch, 5)
    for cores, workers, played in ((1, 3, 3), (2, 0, 2), (4, 0, 1), (2, 1, 1)):
        assert request.granted_workers(workers, cores) == played


def test_with_pondering_there_is_one_core(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    with_cores(monkeypatch, 4)
    refused = table(*DUEL, "--cores", "2", "--time", "1s,pondering")
    assert (refused.code, "with pondering all bots of a match compute at once" in refused.err) == (2, True)


def test_a_dry_run_counts_the_matches_that_have_their_cores_at_once(
    table: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_cores(monkeypatch, 4)
    words = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,bob")
    forecast = table(*words, "--cores", "2", "--dry-run", "--json").json
    assert (forecast["pool"]["cores"], forecast["at_once"]) == (2, 2)
    refused = table(*words, "--cores", "5", "--dry-run")
    assert (refused.code, "use --cores 4 or fewer" in refused.err) == (2, True)


ORDER = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,bob")


SENSELESS: list[tuple[tuple[str, ...], str]] = [
    (("--executor", "dask"), "--executor 'dask' is none; use local or ray"),
    (("--address", "127.0.0.1:1"), "--address names a cluster, and matches are played here; add --executor ray"),
    (("--executor", "ray", "--address", "nonsense"), "'nonsense' is no address of a head of Ray"),
]


def test_what_makes_no_sense_is_refused_before_anything_is_written(table: Arena) -> None:
    assert table.misses(([*ORDER, *words], said) for words, said in SENSELESS) == []
    assert table("tournament", "list", "--json").json == []


@pytest.mark.needs("ray")
def test_where_no_head_answers_the_remedy_goes_on_at_the_same_cluster(table: Arena) -> None:
    ended = table(*ORDER, "--executor", "ray", "--address", "127.0.0.1:1")
    assert ended.code == 1
    assert "no head of Ray answers at 127.0.0.1:1; start a head" in ended.err
    assert "tournament resume round-robin-1 --executor ray --address 127.0.0.1:1" in ended.err
    assert "Traceback" not in ended.err
    shown = table("cluster", "show", "--address", "127.0.0.1:1")
    assert (shown.code, shown.out) == (1, "")
    assert shown.err.count("\n") == 1


def test_the_settings_say_where_matches_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_hosting().place == ()
    monkeypatch.setenv("ARENA_EXECUTOR", "ray")
    monkeypatch.setenv("ARENA_RAY_ADDRESS", "head:6379")
    hosting = read_hosting()
    assert (hosting.executor, hosting.address, hosting.place) == ("ray", "head:6379", ())
    assert read_hosting(executor="local", address="auto").place == ("--executor", "local", "--address", "auto")


async def test_without_ray_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def find(name: str) -> Any:
        if name == "ray":
            raise ModuleNotFoundError("No module named 'ray'")
        return real(name)

    monkeypatch.setattr("arena.executor.ray.library.importlib.import_module", find)
    with pytest.raises(ExecutorFailedError, match=r"install it: pip install 'kingmaker-arena\[ray\]'"):
        async with RayExecutor(RayOptions("127.0.0.1:6379")):
            pass


async def test_a_machine_that_is_not_in_the_cluster_is_told_how_to_join_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def find(_: str) -> Head:
        return Head("head:6379", is_closed=False)

    parts = SimpleNamespace(find_node_ids=list)
    monkeypatch.setattr(session, "load_ray", lambda: None)
    monkeypatch.setattr(session, "find_head", find)
    monkeypatch.setattr(session, "part_of_ray", lambda _: parts)
    with pytest.raises(ExecutorFailedError, match="not in the cluster; `ray start --address head:6379` joins it"):
        async with RayExecutor(RayOptions("head:6379")):
            pass
