"""What would be played, and where: `--dry-run` and `all`, the cores of bots, and what `--executor ray` refuses."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
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
from arena.model.errors import ClientError
from arena.model.tournament_requests import LeftOut, TournamentRequest
from engine import registry
from tests.cli.support import Arena, write_bot
from tests.support.owners import running_server
from tests.support.patience import ANY_TIME

TERMS = ["--game", "foreign_king", "--seats", "2", "--time", "50ms", "--workers", "2"]
SHORT = ["--option", "max_rounds=1"]


def contents(db: Path) -> list[str]:
    with closing(sqlite3.connect(db)) as connection:
        return list(connection.iterdump())


FORMATS: list[tuple[list[str], int | None, bool]] = [
    (["round-robin", "--blocks", "3"], 18, False),
    (["sample", "--blocks", "4"], 12, False),
    (["gauntlet", "--challenger", "eve", "--blocks", "5"], 20, False),
    (["swiss", "--rounds", "4"], 8, True),
    (["knockout", "--best-of", "3"], 18, True),
    (["adaptive", "--max-blocks", "50", "--until", "winner known at 90%"], 100, True),
    (["ladder", "--waves", "7"], 14, True),
    (["ladder", "--waves", "0"], None, False),
]


def test_every_format_says_how_many_matches_it_has_and_writes_nothing(table: Arena) -> None:
    before = contents(table.db)
    for words, matches, is_most in FORMATS:
        bots = "ada,bob" if "gauntlet" in words else "all"
        forecast = table("tournament", "run", *words, *TERMS, "--bots", bots, "--dry-run", "--json").json
        assert (forecast["matches"], forecast["is_most"]) == (matches, is_most), words
        assert {bot.partition("@")[0] for bot in forecast["bots"]} == {"ada", "bob", "eve"}, words
    assert contents(table.db) == before


@pytest.mark.parametrize(
    "words",
    [
        ["gauntlet", "--challenger", "eve"],
        pytest.param(["round-robin", "--blocks", "3"], marks=pytest.mark.needs("minutes")),
    ],
)
def test_what_is_exact_is_what_is_played(table: Arena, words: list[str]) -> None:
    line = ["tournament", "run", *words, *TERMS, *SHORT, "--bots", "ada,bob", "--name", "cup"]
    forecast = table(*line, "--dry-run", "--json").json
    assert table(*line).code == 0
    summary = table("tournament", "list", "--json").json[0]
    assert (summary["total"], summary["pool_id"]) == (forecast["matches"], forecast["pool"]["pool_id"])


def openings_of(count: int) -> list[list[str]]:
    """Different openings of two plies, in notation."""
    game = registry.get("foreign_king")
    first = game.new_state(2)
    found = []
    for action in first.legal_actions()[:count]:
        state = first.clone()
        state.apply(action)
        found.append([game.actions.format(one) for one in (action, state.legal_actions()[0])])
    return found


def test_openings_may_be_in_utf_16_as_powershell_writes_them(table: Arena, tmp_path: Path) -> None:
    (tmp_path / "openings.json").write_text(json.dumps(openings_of(3)), encoding="utf-16")
    line = ["tournament", "run", "swiss", *TERMS, *SHORT, "--bots", "ada,bob", "--rounds", "1"]
    assert table(*line, "--openings", str(tmp_path / "openings.json"), "--dry-run").code == 0


@pytest.mark.parametrize(
    "words", [("tournament", "run", "swiss", "--bots", "ada,bob", "--rounds", "1"), ("compare", "ada", "bob")]
)
def test_a_dry_run_refuses_a_name_that_no_tournament_can_have(table: Arena, words: Sequence[str]) -> None:
    line = [*words, *TERMS, *SHORT, "--name", "a\nb"]
    assert table.refusal(*line, "--dry-run", code=2) == table.refusal(*line, code=2)


def test_openings_of_a_file_begin_the_blocks_and_the_file_is_not_needed_again(
    table: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    openings, file = openings_of(3), tmp_path / "openings.json"
    file.write_text(json.dumps(openings), encoding="utf-8")
    line = ["tournament", "run", "swiss", *TERMS, *SHORT, "--bots", "ada,bob", "--rounds", "6", "--seed", "1"]
    line += ["--openings", str(file), "--name", "cup"]
    before = contents(table.db)
    assert table(*line, "--dry-run").code == 0
    assert contents(table.db) == before
    with monkeypatch.context() as stopped:
        stopped.setattr("arena.cli.verbs.tournament.run.play", lambda *_, **__: None)
        table(*line)
    file.unlink()
    assert table("tournament", "resume", "cup").code == 0
    assert re.search(r"^opening +3 of a file$", table("tournament", "show", "cup").out, re.MULTILINE)
    assert table("replay", "verify", "--all").code == 0
    played = dict[int, set[tuple[str, ...]]]()
    for match in table("tournament", "show", "cup", "--matches", "--json").json["matches"]:
        told = table("replay", "show", match["id"], "--json").json
        by = {entry["by"] for entry in told["entries"][:2]}
        assert (by, told["entries"][2]["by"] == "opening") == ({"opening"}, False)
        played.setdefault(match["block"], set()).add(tuple(ply["action"] for ply in told["plies"][:2]))
    assert [len(ways) for ways in played.values()] == [1] * 6
    order = [ways.pop() for ways in played.values()]
    assert sorted(order[:3]) == sorted(order[3:]) == sorted(map(tuple, openings))


def test_an_opening_that_is_wrong_is_told_with_its_line_before_anything_is_written(
    table: Arena, tmp_path: Path
) -> None:
    before, (first, *_) = contents(table.db), openings_of(1)
    wrong, large, latin = tmp_path / "wrong.json", tmp_path / "large.json", tmp_path / "latin.pgn"
    wrong.write_text(f'[\n{json.dumps(first)},\n["NO"]]', encoding="utf-8")
    large.write_text(" " * 1_000_001, encoding="utf-8")
    latin.write_bytes('[White "J\xfcrgen"]\n\n1. NO *'.encode("latin-1"))
    round_robin = ["tournament", "run", "round-robin", *TERMS, "--bots", "all"]
    match = ["match", "run", "--game", "foreign_king", "--bots", "ada,bob"]
    told = {
        wrong: "openings, line 3: 'NO' is no legal action after 0 plies",
        latin: "openings, line 3: 'NO' is no legal action after 0 plies",
        large: "large.json: has over 1000000 bytes; give fewer openings",
        tmp_path: "cannot be read (Is a directory)",
        tmp_path / "none.json": "none.json: cannot be read (No such file or directory)",
    }
    for words in ([*round_robin, "--dry-run"], round_robin, match):
        assert table.misses(((*words, "--openings", file), said) for file, said in told.items()) == []
    assert contents(table.db) == before


def test_without_a_match_in_the_pool_the_time_is_what_the_clock_allows(table: Arena) -> None:
    line = ["tournament", "run", "round-robin", *TERMS, "--bots", "all", "--blocks", "3", "--dry-run"]
    told = table(*line)
    assert told.code == 0
    forecast = table(*line, "--json").json
    assert (forecast["measured"], forecast["is_new_pool"], forecast["at_once"]) == (0, True, 2)
    assert forecast["match_us"] == 120 * 50_000  # foreign_king has about 120 decisions at a table of two
    assert forecast["seconds"] == pytest.approx(18 * 6.0 / 2)
    assert "matches   18\n" in told.out
    assert "at most about 54 s, 2 at once: 6.0 s a match of usual length" in told.out
    assert "nothing was written" in told.out


def test_with_matches_in_the_pool_the_time_is_measured(table: Arena) -> None:
    line = ["tournament", "run", "round-robin", *TERMS, *SHORT, "--bots", "all"]
    assert table(*line).code == 0
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE match SET duration_us = 3000000")
    told = table(*line, "--blocks", "3", "--dry-run").out
    assert "about 27 s, 2 at once: 3.0 s a match, measured in 6 among these versions" in told
    assert "nothing played yet" not in told
    other = table(*line, "--time", "1s", "--dry-run", "--json").json
    assert other["measured"] == 0


@pytest.mark.needs("minutes")
def test_matches_of_other_versions_tell_no_time(table: Arena, tmp_path: Path) -> None:
    line = ["tournament", "run", "round-robin", *TERMS, *SHORT]
    assert table(*line, "--bots", "ada,bob").code == 0
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE match SET duration_us = 100000")
    same = table(*line, "--bots", "bob,ada", "--dry-run")
    assert "less than a second, 2 at once: 100 ms a match, measured in 2 among these versions" in same.out
    table("bot", "add", write_bot(tmp_path / "ada", "ada", body="# slower\n"))
    for bots in ("ada,bob", "bob,eve"):
        forecast = table(*line, "--bots", bots, "--dry-run", "--json").json
        assert (forecast["measured"], forecast["is_new_pool"]) == (0, False)


def test_a_comparison_says_its_most_too(table: Arena) -> None:
    line = ["compare", "ada", "bob", "--game", "foreign_king", "--max-blocks", "10", "--dry-run"]
    told = table(*line)
    assert told.code == 0
    assert " at most\n" in told.out
    assert table("tournament", "list", "--json").json == []


def test_what_would_be_refused_is_refused_and_who_is_left_out_is_told(table: Arena) -> None:
    line = ["tournament", "run", "round-robin", *TERMS, "--dry-run", "--bots"]
    table("bot", "disable", "bob")
    assert "bot 'bob' is disabled" in table.refusal(*line, "ada,bob")
    assert "left out: bob: it is disabled" in table(*line, "all").err
    assert "there is no bot 'evee'" in table.refusal(*line, "ada,evee")
    assert "over the 250000 of one tournament" in table.refusal(*line, "all", "--blocks", "900000")
    assert table("tournament", "run", "round-robin", *TERMS, *SHORT, "--bots", "ada,eve", "--name", "cup").code == 0
    assert "there is a tournament 'cup' already" in table.refusal(*line, "ada,eve", "--name", "cup")


def test_without_a_database_none_is_made(arena: Arena) -> None:
    assert "there is no database" in arena.refusal(
        "tournament", "run", "round-robin", *TERMS, "--bots", "all", "--dry-run", code=1
    )
    assert not arena.db.exists()


def test_a_service_forecasts_as_well(table: Arena) -> None:
    request = TournamentRequest(
        format="round-robin", settings={"blocks": 2}, game="foreign_king", seats=2, bots=("all",), time="50ms",
        start_limit="10s",
    )  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=table.db) as server,
        server.arena() as arena,
    ):
        forecast = arena.forecasts.forecast_tournament(request)
        assert (forecast.matches, forecast.is_most, forecast.left_out) == (12, False, ())
        with pytest.raises(ClientError, match="openings, line 1: 'NO' is no legal action after 0 plies"):
            arena.forecasts.forecast_tournament(replace(request, openings='["NO"]'))
        assert arena.tournaments.list_tournaments().items == ()


RUN = ["tournament", "run"]
GAME = ["--game", "foreign_king", "--seats", "2", "--option", "max_rounds=1"]
CUP_TERMS = [*GAME, "--seed", "1", "--name", "cup", "--workers", "1"]


def entrants(arena: Arena) -> list[str]:
    return sorted(row["bot"] for row in arena("tournament", "show", "cup", "--json").json["standings"])


def test_all_is_every_bot_that_can_play_and_who_cannot_is_told_with_the_reason(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "kasparov", "kasparov", games='["chess"]'))
    table("bot", "add", write_bot(tmp_path / "gone", "gone"))
    shutil.rmtree(table("bot", "show", "gone", "--json").json["versions"][0]["directory"])
    table("bot", "disable", "bob")
    finished = table(*RUN, "round-robin", *CUP_TERMS, "--bots", "all")
    assert finished.code == 0, finished.err
    assert entrants(table) == ["ada", "eve"]
    left_out = [line for line in finished.err.splitlines() if line.startswith("left out: ")]
    assert left_out[0] == "left out: bob: it is disabled"
    assert left_out[1].startswith("left out: gone: ")
    assert "the files of this version are missing" in left_out[1]
    assert left_out[2:] == ["left out: kasparov: it does not play foreign_king"]


def test_all_stands_beside_names_and_means_the_others(table: Arena, tmp_path: Path) -> None:
    old = table("bot", "show", "ada", "--json").json["versions"][0]["content_hash"]
    table("bot", "add", write_bot(tmp_path / "ada", "ada", body="# better\n"))
    assert table(*RUN, "gauntlet", *CUP_TERMS, "--challenger", "eve", "--bots", f"all,ada@{old}").code == 0
    assert entrants(table) == ["ada", "ada", "bob", "eve"]


def test_a_comparison_may_meet_all_others(table: Arena) -> None:
    line = ["compare", "ada", "bob", "--game", "foreign_king", "--field", "all", "--max-blocks", "1"]
    assert table(*line, *GAME[-2:], "--name", "cup").code == 0
    assert entrants(table) == ["ada", "bob", "eve"]


def test_where_each_bot_is_named_all_is_refused_with_what_it_means(table: Arena) -> None:
    for bots in ("all", "all,ada", "ada,all,eve"):
        refusal = table.refusal("match", "run", "--game", "foreign_king", "--bots", bots)
        assert refusal == (
            "'all' stands for every bot in tournaments and comparisons; a match takes one bot for each seat: name them"
        )
    gauntlet = [*RUN, "gauntlet", *CUP_TERMS, "--challenger", "all", "--bots", "ada,bob"]
    compare = ["compare", "all", "bob", "--game", "foreign_king", "--dry-run"]
    for line in (gauntlet, [*gauntlet, "--dry-run"], compare):
        refusal = table.refusal(*line)
        assert refusal.startswith("'all' stands for the opponents of a challenger or the field of a comparison; "), (
            refusal
        )
    assert table("tournament", "list", "--json").json == []


def test_with_nobody_left_a_line_says_so_and_nothing_is_written(table: Arena) -> None:
    for bot in ("ada", "bob", "eve"):
        table("bot", "disable", bot)
    refusal = table.refusal(*RUN, "round-robin", *CUP_TERMS, "--bots", "all")
    assert refusal.startswith("no bot here besides those named can play foreign_king; ")
    assert table("tournament", "list", "--json").json == []


def test_very_many_that_are_left_out_are_counted(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.app.tournament_planning.MOST_TOLD", 1)
    table("bot", "disable", "bob")
    write_bot(table.db.parent / "zed", "zed", games='["chess"]')
    table("bot", "add", table.db.parent / "zed")
    told = table(*RUN, "round-robin", *CUP_TERMS, "--bots", "all").err
    assert "left out: bob: it is disabled\nleft out: +1: too many to be named one by one" in told


def test_bots_of_owners_play_too_with_the_version_that_is_active(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "zoe", "fox"), "--owner", "zoe")
    assert table(*RUN, "round-robin", *CUP_TERMS, "--bots", "all", "--sandbox", "none").code in (0, 1)
    assert "zoe/fox" in entrants(table)
    table("owner", "disable", "zoe")
    finished = table(*RUN, "round-robin", *CUP_TERMS[:-4], "--name", "two", "--bots", "all")
    assert "left out: zoe/fox: its owner is disabled" in finished.err


def test_a_service_tells_whom_it_left_out(table: Arena) -> None:
    table("bot", "disable", "bob")
    request = TournamentRequest(
        format="round-robin", settings={"blocks": 1}, game="foreign_king", seats=2, bots=("all",), time="50ms",
        start_limit="10s",
    )  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=table.db) as server,
        server.arena() as arena,
    ):
        planned = arena.tournaments.create_tournament(replace(request, openings=json.dumps(openings_of(2))))
        assert len(arena.tournaments.get_tournament(planned.id).settings["openings"]) == 2
    assert planned.left_out == (LeftOut("bob", "it is disabled"),)


@pytest.mark.needs("minutes")
def test_a_swiss_tournament_of_all_has_the_rounds_of_their_number(table: Arena, tmp_path: Path) -> None:
    for name in ("fox", "hen"):
        table("bot", "add", write_bot(tmp_path / name, name))
    swiss = [*RUN, "swiss", *GAME]
    for bots in ("all", "all,ada", "ada,bob,eve,fox,hen"):
        assert table(*swiss, "--bots", bots, "--dry-run", "--json").json["matches"] == 3 * 2 * 2
    assert table(*swiss, "--bots", "all", "--name", "cup").code == 0
    assert table("tournament", "show", "cup", "--json").json["settings"]["rounds"] == 3


def test_no_bot_is_called_like_all_of_them(table: Arena, tmp_path: Path) -> None:
    for line in (["bot", "add", write_bot(tmp_path / "all", "all")], ["bot", "rename", "ada", "all"]):
        assert "'all' stands for every bot" in table.refusal(*line)


TELLING = """
import os
import re
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
FORECAST = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,bob")
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


@pytest.mark.needs("openskill")
def test_a_pool_that_openskill_rates_is_another_one_which_says_so_wherever_it_is_shown(table: Arena) -> None:
    ways = (("trueskill", ()), ("openskill", ("--rating-method", "openskill")))
    usual, other = (table(*DUEL, *words).json["pool"] for _, words in ways)
    assert usual["pool_id"] != other["pool_id"]
    boards = {board["pool_id"]: board for board in table("leaderboard", "--json").json}
    for pool, (method, words) in zip((usual, other), ways, strict=True):
        assert pool["rating_method"] == boards[pool["pool_id"]]["rating_method"] == method
        assert boards[pool["pool_id"]]["matches"] == 1
        shown = table("leaderboard", "--pool", pool["pool_id"])
        forecast = table(*FORECAST, "--option", "max_rounds=1", *words, "--dry-run", "--json").json
        assert ("OpenSkill" in shown.out, forecast["pool"]["pool_id"]) == (bool(words), pool["pool_id"])
    # Either method knows more of them after a match, and not the same.
    (one, _), (another, _) = (boards[pool["pool_id"]]["table"] for pool in (usual, other))
    assert one["sigma"] != another["sigma"]
    assert max(one["sigma"], another["sigma"]) < 25 / 3
    assert table("rating", "rebuild", "--check").code == 0
    assert table("db", "check").code == 0


@pytest.mark.needs("openskill")
def test_pools_that_name_no_method_are_rated_as_the_home_or_the_variable_says(
    table: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    def method(*words: str) -> str:
        return str(table(*DUEL, *words).json["pool"]["rating_method"])

    assert method() == "trueskill"
    (table.db.parent / "settings.toml").write_text('[service]\nrating_method = "openskill"\n', encoding="utf-8")
    assert (method(), method("--rating-method", "trueskill")) == ("openskill", "trueskill")
    monkeypatch.setenv("ARENA_RATING_METHOD", "trueskill")
    assert (method(), method("--rating-method", "openskill")) == ("trueskill", "openskill")


def test_without_its_package_no_tournament_is_rated_by_openskill(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    asked = table(*DUEL, "--rating-method", "openskill")
    assert asked.code == 1
    assert asked.err == "arena: openskill is not installed; install it with: pip install 'kingmaker-arena[openskill]'\n"
    wrong = table(*DUEL, "--rating-method", "elo")
    assert (wrong.code, wrong.err) == (2, "arena: there is no rating method 'elo'; use trueskill, openskill\n")
    assert table("tournament", "list", "--json").json == []


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
