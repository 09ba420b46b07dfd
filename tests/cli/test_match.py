"""`arena match`: run, list, show, watch and log, here and at a service; and `arena bot replays`."""

from __future__ import annotations

import json
import re
import sqlite3
import tarfile
import zipfile
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.cli.verbs.match.show import print_problems
from arena.hosting.builds import BuildStore
from arena.hosting.sandbox.limits import strongest_level
from arena.match.worker_report import SeatLogText
from arena.model.matches import AttemptFact, MatchDetail
from engine.core import UnknownGameError
from ratings.ledger.recording import log_rows
from ratings.values.states import AttemptState
from tests.cli.support import MATCH, ROUND_ROBIN, Arena, write_bot

RATED = (
    " ".join([*MATCH, "--json"]),
    "leaderboard --json",
    " ".join([*MATCH, "--json --rated"]),
    "leaderboard --json",
)
"""A match that is not rated, and another one that is."""


CHEATED = (
    "bot add cheat",
    "match run --game foreign_king --bots ada,cheat,bob",
    "match run --game foreign_king --bots ada,cheat,bob --json",
)


def test_a_match_is_played_and_shown(table: Arena) -> None:
    (finished,) = table.played(" ".join(MATCH))
    assert finished.code == 0
    for fact in ("finished", "ended by the rules", "ada", "bob", "eve", "`arena replay show "):
        assert fact in finished.out


def test_a_match_has_the_bots_in_the_seats_named(match: dict[str, Any]) -> None:
    assert [seat["bot"] for seat in match["seats"]] == ["ada", "bob", "eve"]
    assert min(seat["rank"] for seat in match["seats"]) == 1


def test_a_single_match_is_unrated_unless_asked(table: Arena) -> None:
    unrated, before, rated, after = table.played(*RATED)
    assert (unrated.code, before.json) == (0, [])
    assert (unrated.json["rated"], rated.json["rated"]) == (False, True)
    assert after.json[0]["matches"] == 1


def test_ids_may_be_abbreviated_to_beginning_or_end(table: Arena, match: dict[str, Any]) -> None:
    for text in (match["match_id"], match["match_id"][:13], match["match_id"][-8:]):
        assert table("match", "show", text, "--json").json == match


def test_the_times_of_a_match_are_shown_by_decision_and_seat(table: Arena, match: dict[str, Any]) -> None:
    shown = table("match", "show", match["match_id"], "--times").out
    for word in (
        "WALL",
        "CPU",
        "WAIT",
        "LAG",
        "CHARGE",
        "LONGEST",
        "1.0 ms",
        "decisions under 20 ms are never measured",
    ):
        assert word in shown
    times = table("match", "show", match["match_id"], "--times", "--json").json["times"]
    assert len(times["decisions"]) == match["decisions"]
    assert {row["charged_us"] for row in times["decisions"]} == {1000}
    assert [row["bot"] for row in times["totals"]] == ["ada", "bob", "eve"]
    assert sum(row["charged_us"] for row in times["totals"]) == 1000 * match["decisions"]


def test_an_unknown_match_is_refused_with_where_to_look(table: Arena) -> None:
    commands = [["match", "show"], ["replay", "show"], ["replay", "verify"]]
    assert table.misses(([*words, "ffffffff"], "arena tournament show") for words in commands) == []


def test_a_beginning_that_fits_several_matches_is_refused(table: Arena) -> None:
    first, _, second, _ = (one.json["match_id"] if "match_id" in one.out else "" for one in table.played(*RATED))
    assert first[:6] == second[:6]
    refusal = table.refusal("match", "show", first[:6])
    assert f"{first[:6]!r} fits 2 matches: " in refusal
    assert first in refusal
    assert second in refusal
    assert "arena tournament show TOURNAMENT --matches" in refusal


@pytest.mark.hostile("steer-the-terminal")
def test_faults_are_shown_with_their_evidence_and_without_terminal_codes(table: Arena, tmp_path: Path) -> None:
    write_bot(tmp_path / "cheat", "cheat")
    shown = table.played(*CHEATED)[1].out
    assert "seat 1 (cheat), ply" in shown
    assert "ILLEGAL_ACTION: It chose action" in shown
    assert "forfeited" in shown
    assert "    last \\u001b[31mline" in shown
    assert "\x1b" not in shown


def test_a_bot_plays_itself_but_not_for_a_rating(table: Arena) -> None:
    match = ("match", "run", "--game", "foreign_king", "--bots", "ada,ada")
    assert table(*match).code == 0
    assert "more than once" in table.refusal(*match, "--rated")


@pytest.mark.host_fault("host-fails-every-match")
def test_a_match_that_the_host_lost_fails_with_the_reason(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "lost", "lost"))
    order = ("match", "run", "--game", "foreign_king", "--bots", "ada,lost")
    finished = table(*order)
    assert finished.code == 1
    reason = "3 attempts failed; the last: worker 1 died (signal 9)"
    assert f"arena: the match is void: {reason}; `arena doctor` looks for the cause" in finished.err
    assert "played\n" not in finished.out.replace("not played\n", "")
    match = table(*order, "--json").json
    assert [seat["ended"] for seat in match["seats"]] == [None, None]
    assert match["void_reason"] == reason
    shown = table("match", "show", match["match_id"]).out
    assert reason in shown
    assert [attempt["cause"] for attempt in match["attempts"]] == ["WORKER_DIED"] * 3
    assert {attempt["owner"] for attempt in match["attempts"]} == {"host"}
    assert shown.count("failed because of the host: WORKER_DIED: worker 1 died (signal 9)") == 3
    assert shown.count("    the last words of worker 1") == 3
    assert f"is void: {reason}" in table("tournament", "show", match["tournament"], "--matches").out


def test_a_void_match_is_reported_at_the_end_and_listed(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "lost", "lost"))
    order = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,lost")
    finished = table(*order, "--name", "monday", "--workers", "1")
    assert finished.code == 1, "no match has a valid result"
    assert "2 matches are void, by no fault of a bot, and not rated" in finished.err
    assert "arena match list monday --state void" in finished.err
    assert finished.err.count("3 attempts failed; the last: worker 1 died (signal 9)") == 2
    void = table("match", "list", "monday", "--state", "void", "--json").json
    assert [(row["state"], row["attempt"] >= 3) for row in void] == [("void", True)] * 2
    assert table("match", "list").out.count("worker 1 died") == 2
    assert table("match", "list", "monday", "--state", "finished").out == "no such matches\n"
    assert table("leaderboard", "--json").json == []


def test_a_list_of_matches_in_no_such_state_is_refused(table: Arena, match: dict[str, Any]) -> None:
    assert "there are planned, leased, finished, void" in table.refusal("match", "list", "--state", "lost")
    assert table("match", "list", "--state", "void").out == "no such matches\n"


def test_the_owner_of_a_bots_fault_and_the_level_of_its_sandbox_are_told(table: Arena, tmp_path: Path) -> None:
    write_bot(tmp_path / "cheat", "cheat")
    match = table.played(*CHEATED)[2].json
    assert [fault["owner"] for fault in match["faults"]] == ["bot"]
    assert match["sandbox"] == "none"
    assert [seat["sandbox"] for seat in match["seats"]] == ["none"] * len(match["seats"])
    shown = table("match", "show", match["match_id"]).out
    at = shown.splitlines().index("")
    heads, *rows = [line.split() for line in shown.splitlines()[at + 1 : at + 2 + len(match["seats"])]]
    assert [row[heads.index("SANDBOX")] for row in rows] == ["none"] * len(match["seats"])


def test_what_each_bot_ran_in_is_told(table: Arena, match: dict[str, Any]) -> None:
    (runtime,) = {seat["runtime"] for seat in match["seats"]}
    assert runtime == table("runtime", "show", "arena", "--json").json["hash"]
    assert {seat["runtime_name"] for seat in match["seats"]} == {"arena"}
    assert f"arena {runtime[:12]}" in table("match", "show", match["match_id"]).out


def test_a_bot_that_remembers_is_named_with_the_match_that_shows_it(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "leaky", "leaky", deterministic="true"))
    order = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,leaky")
    finished = table(*order, "--name", "checked", "--leak-checks", "100%", "--warm-memory", "100")
    flagged = "leak check: leaky (version 1) remembered earlier matches in 2 of the matches checked"
    assert flagged in finished.err
    shown = table("tournament", "show", "checked").out
    assert "leak checks  2: 2 leak" in shown
    assert flagged in shown
    facts = table("tournament", "show", "checked", "--json").json
    assert [check["verdict"] for check in facts["leak_checks"]] == ["leak", "leak"]
    match = facts["leak_checks"][0]["match_id"]
    assert "(leaky), ply 3: leak check: leak: It remembered." in table("match", "show", match).out
    assert table("match", "show", match, "--json").json["leak_checks"][0]["evidence"] == {"used": ["A"], "fresh": ["B"]}
    assert table(*order, "--leak-checks", "0").err.count("leak check") == 0


def test_options_about_hosting_that_make_no_sense_are_refused(table: Arena) -> None:
    order = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,bob")
    wrong = [("--leak-checks", "101%"), ("--leak-checks", "some"), ("--warm-memory", "1GB")]
    assert table.misses(([*order, *words], f"{words[0]} {words[1]!r} is no") for words in wrong) == []


def test_a_match_of_a_game_that_is_not_installed_here_is_shown_but_for_its_replay(
    match: dict[str, Any], arena_cli: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    def get(name: str) -> None:
        raise UnknownGameError(f"there is no game {name!r}")

    monkeypatch.setattr("engine.registry.names", lambda: ("rex_romanorum",))
    monkeypatch.setattr("engine.registry.get", get)
    for words in (["match", "show", match["match_id"]], ["match", "list"], ["leaderboard"], ["tournament", "list"]):
        shown = arena_cli(*words)
        assert shown.code == 0, shown
    for more in ([], ["--ply", "1"]):
        said = arena_cli.refusal("replay", "show", match["match_id"], *more, code=1)
        assert "the match is one of 'foreign_king', a game that is not installed here; install its package" in said


@pytest.mark.hostile("starve-others-at-their-start")
def test_who_kept_another_from_starting_is_told_of_a_match_that_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    why = "seat 2 was started again alone: it had waited 2.0 s for a processor, while seat 0 computed for 2.3 s"
    evidence = {"starts": [{"seat": 2, "bot": "elk"}]}
    noted = AttemptFact(1, "here", AttemptState.FINISHED, None, None, why, evidence, 1, 2)
    quiet = AttemptFact(2, "here", AttemptState.FINISHED, None, None, None, None, 1, 2)
    detail = SimpleNamespace(attempts=(noted, quiet), faults=(), leak_checks=(), seats=())
    print_problems(cast("MatchDetail", detail))
    told = capsys.readouterr().out.splitlines()
    assert told == ["", f"attempt 1, played nevertheless: {why}", "  starts: [{'seat': 2, 'bot': 'elk'}]"]


@pytest.fixture
def over(table: Arena) -> str:
    """The id of a match that is over."""
    played, listed = table.played(" ".join([*ROUND_ROBIN, "--name cup --seed 1"]), "match list --json")
    assert played.code == 0
    found: str = listed.json[0]["id"]
    return found


def test_a_match_that_is_over_is_shown_move_by_move(over: str, arena_cli: Arena) -> None:
    plies = arena_cli("replay", "show", over, "--json").json["entries"]
    seen = arena_cli("match", "watch", over)
    assert (seen.code, seen.err) == (0, "")
    lines = seen.out.splitlines()
    assert len(lines) == len(plies) + 2
    assert over in lines[0]
    assert lines[-1].startswith("over ")
    assert any("ACT_COINS" in line and " Francs." in line for line in lines)
    german = arena_cli("match", "watch", over, "--lang", "de").out
    assert " will den König führen." in german
    events = [json.loads(line) for line in arena_cli("match", "watch", over, "--json").out.splitlines()]
    assert [event["move"]["action"] for event in events[1:-1]] == [entry["action"] for entry in plies]
    assert events[0]["start"]["game"] == "foreign_king"


def test_an_unknown_match_and_a_seat_that_does_not_exist_are_refused(over: str, arena_cli: Arena) -> None:
    assert "ffffffff" in arena_cli.refusal("match", "watch", "ffffffff")
    assert "seat 9" in arena_cli.refusal("match", "watch", over, "--log", "9")


@pytest.mark.parametrize("name", ["all.zip", "all.tar.gz", pytest.param("all.tar", marks=pytest.mark.needs("minutes"))])
def test_all_replays_of_a_bot_come_in_one_archive(over: str, arena_cli: Arena, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    finished = arena_cli("bot", "replays", "ada", "--out", out, "--json")
    if name.endswith(".zip"):
        with zipfile.ZipFile(out) as archive:
            files = {entry: archive.read(entry) for entry in archive.namelist()}
    else:
        with tarfile.open(out) as packed:
            files = {entry.name: packed.extractfile(entry).read() for entry in packed}  # type: ignore[union-attr]
    whole = {row["id"] for row in arena_cli("match", "list", "--bot", "ada", "--limit", "0", "--json").json}
    assert finished.json["matches"] == len(files)
    assert set(files) == {f"{id_}.json" for id_ in whole}
    shown = arena_cli("replay", "show", over, "--json").json
    assert json.loads(files[f"{over}.json"]) == {key: shown[key] for key in shown if key not in ("plies", "scoring")}
    assert not list(tmp_path.glob("*.part"))


def test_an_archive_of_an_unknown_kind_is_refused(over: str, arena_cli: Arena, tmp_path: Path) -> None:
    assert ".tar.gz" in arena_cli.refusal("bot", "replays", "ada", "--out", tmp_path / "all.rar")
    assert arena_cli.refusal("bot", "replays", "nobody", "--out", tmp_path / "all.zip")
    assert not list(tmp_path.glob("all*"))


RUNTIMES = ("a" * 64, "b" * 64)
REMOVED_AT_US = 1_700_000_000_000_000
REMOVED = "removed by retention on 2023-11-14 22:13:20 UTC"
RED = "\x1b[31m"
INSERT = "INSERT INTO seat_log (match_id, seat, data, cut_bytes) VALUES (:match_id, :seat, :data, :cut_bytes)"


def change(db: Path, command: str, values: Any = ()) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(command, values)


@pytest.fixture
def written(table: Arena) -> str:
    """A match in which the bots of the seats 0 and 1 wrote something, and that of seat 2 nothing."""
    (played,) = table.played(" ".join([*MATCH, "--json"]))
    match_id: str = played.json["match_id"]
    for row in log_rows(match_id, [SeatLogText(0, f"asked\n{RED}red\n".encode()), SeatLogText(1, b"not asked\n")]):
        change(table.db, INSERT, row)
    return match_id


def remove_logs(db: Path) -> None:
    change(db, "DELETE FROM seat_log")
    change(db, "UPDATE match SET logs_removed_at_us = ?", (REMOVED_AT_US,))


def remove_replays(db: Path) -> None:
    change(db, "DELETE FROM replay")
    change(db, "UPDATE match SET replay_removed_at_us = ?", (REMOVED_AT_US,))


def test_the_logs_of_a_match_come_with_times(written: str, arena_cli: Arena) -> None:
    shown = arena_cli("match", "log", written).out
    assert "seat 0 (ada) wrote:\nasked\n" in shown
    assert "\x1b" not in shown
    assert "seat 1 (bob) wrote:\nnot asked\n" in shown
    assert "seat 2 (eve) wrote nothing" in shown
    assert re.search(r"CHARGE +LONGEST\n *0 +ada", shown)
    facts = arena_cli("match", "log", written, "--json").json
    assert [log["text"] for log in facts["logs"]] == [f"asked\n{RED}red\n", "not asked\n", ""]
    assert facts["logs_removed_at_us"] is None
    assert [time["seat"] for time in facts["times"]] == [0, 1, 2]


def test_one_seat_is_shown_alone(written: str, arena_cli: Arena) -> None:
    shown = arena_cli("match", "log", written, "--seat", "1").out
    assert "not asked" in shown
    assert not re.search(r"\bada\b", shown)  # a random id may have these letters
    assert "no log of match" in arena_cli.refusal("match", "log", written, "--seat", "9")


def test_the_evidence_of_a_fault_stands_with_the_log(arena_cli: Arena, table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "cheat", "cheat"))
    match_id = table("match", "run", "--game", "foreign_king", "--bots", "ada,cheat", "--json").json["match_id"]
    assert "first line" in arena_cli("match", "log", match_id, "--seat", "1").out
    assert "first line" not in arena_cli("match", "log", match_id, "--seat", "0").out


def test_of_a_match_that_is_not_over_it_is_told_how_to_see_its_log(arena_cli: Arena, table: Arena) -> None:
    table("ladder", "open", "king2", "--game", "foreign_king", "--seats", "2")
    match_id = table("match", "list", "--json").json[0]["id"]
    shown = arena_cli("match", "log", match_id).out
    assert re.search(
        r"has no log yet: match \w+ is not over; `arena .*match watch \w+ --log 0.*` shows the output", shown
    )


def test_what_retention_removed_is_told(written: str, arena_cli: Arena) -> None:
    remove_logs(arena_cli.db)
    assert re.search(f"logs +{REMOVED}", arena_cli("match", "show", written).out)
    assert arena_cli("match", "show", written, "--json").json["logs_removed_at_us"] == REMOVED_AT_US
    shown = arena_cli("match", "log", written).out
    assert f"the logs were {REMOVED}" in shown
    assert "wrote" not in shown
    assert "CHARGE" in shown
    assert arena_cli("match", "log", written, "--json").json["logs_removed_at_us"] == REMOVED_AT_US
    refusal = arena_cli.refusal("match", "watch", written, "--log", "0", code=1)
    assert "were removed by retention on 2023-11-14" in refusal
    remove_replays(arena_cli.db)
    assert re.search(f"replay +{REMOVED}", arena_cli("match", "show", written).out)
    assert "the times were removed with the replay" in arena_cli("match", "log", written).out


def test_verifying_all_counts_what_retention_removed(written: str, arena_cli: Arena) -> None:
    remove_replays(arena_cli.db)
    assert "removed by retention" in arena_cli.refusal("replay", "verify", written)
    for words in (["--all"], ["--tournament", "match-1"]):
        told = arena_cli("replay", "verify", *words)
        assert told.code == 0
        assert told.out == "1 match: 0 verified, 0 broken, 1 no longer kept (removed by retention)\n"
        counts = {"matches": 1, "verified": 0, "removed": 1, "broken": []}
        assert arena_cli("replay", "verify", *words, "--json").json == counts


def test_the_log_of_the_last_build_is_shown(arena_cli: Arena) -> None:
    store = BuildStore(arena_cli.db.with_suffix(".builds"))
    store.root.mkdir(exist_ok=True)
    version = arena_cli("bot", "show", "ada", "--json").json["versions"][0]["content_hash"]
    assert "has no build log: its bot.toml names no build command" in arena_cli.refusal("bot", "build-log", "ada")
    for number, runtime in enumerate(RUNTIMES):
        store.write_log(version, runtime, f"try {number}\n{RED}no compiler\n")
    shown = arena_cli("bot", "build-log", "ada").out
    assert shown.startswith(f"ada, version 1 ({version[:12]}), built 20")
    assert "UTC in runtime bbbbbbbbbbbb:\ntry 1\n" in shown
    assert "\x1b" not in shown
    facts = arena_cli("bot", "build-log", f"ada@{version[:8]}", "--json").json
    assert (facts["runtime"], facts["text"]) == (RUNTIMES[1], f"try 1\n{RED}no compiler\n")


WORDS = """
import sys
print("thinking of e4")
print("it went wrong", file=sys.stderr)
sys.exit(3)
"""
MUCH = """
import sys
print("x" * 50_000 + "the end")
sys.exit(3)
"""


def faults_of(arena: Arena, tmp_path: Path, level: str, *bodies: str) -> list[dict[str, Any]]:
    """The evidence that each of these bots left in one match."""
    bots = [write_bot(tmp_path / name, name, body) for name, body in zip(("ada", "bob", "eve"), bodies, strict=False)]
    assert arena("bot", "add", *bots).code == 0
    names = ",".join(bot.name for bot in bots)
    words = ["match", "run", "--game", "foreign_king", "--bots", names, "--sandbox", level, "--json"]
    faults = sorted(arena(*words).json["faults"], key=lambda fault: int(fault["seat"]))
    return [fault["evidence"] for fault in faults]


@pytest.mark.needs("minutes")
def test_both_streams_stand_in_the_evidence_of_a_fault_and_of_much_only_the_end(arena: Arena, tmp_path: Path) -> None:
    both, much, nothing = faults_of(arena, tmp_path, strongest_level(), WORDS, MUCH, "raise SystemExit(3)")
    assert (both["stdout"], both["stderr"]) == ("thinking of e4\n", "it went wrong\n")
    assert much["stdout"].endswith("xthe end\n")
    assert len(much["stdout"]) == 4000, "as of stderr"
    assert "stdout" not in nothing
    match = arena("match", "list", "--json").json[0]["id"]
    shown = arena("match", "show", match).out
    assert "stdout: thinking of e4" in shown
    assert "stderr: it went wrong" in shown


@pytest.mark.needs("minutes")
def test_a_test_at_home_shows_both_and_says_which_is_which(arena: Arena, tmp_path: Path) -> None:
    finished = arena("bot", "test", write_bot(tmp_path / "ada", "ada", WORDS), "--quick", "--game", "foreign_king")
    assert finished.code == 1
    assert "  | it went wrong" in finished.out
    assert "  stdout | thinking of e4" in finished.out
