"""`--cores N`: what each bot is granted, what it is told, and what a machine without as many says."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from arena.cli.shared import request
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
