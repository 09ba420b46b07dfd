import io
import json
import re
import shutil
import sqlite3
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from arena.cli.app import run
from engine import registry
from engine.core import UnknownGameError
from tests.cli.support import Arena, write_bot
from tests.cli.table import TableExecutor

MATCH = ["match", "run", "--game", "foreign_king", "--bots", "ada,bob,eve", "--seed", "3"]


@pytest.fixture(scope="module")
def played(three_bots: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A directory with a match that was played in its database, to be copied, not used; and what was told of it."""
    directory = tmp_path_factory.mktemp("played")
    shutil.copytree(three_bots, directory, dirs_exist_ok=True)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as out:
        patch.setattr("arena.cli.shared.play.LocalExecutor", TableExecutor)
        patch.delenv("ARENA_SERVER", raising=False)
        assert run([*MATCH, "--json", "--db", str(directory / "arena.db")]) == 0
    return directory, json.loads(out.getvalue())


@pytest.fixture
def match(table: Arena, played: tuple[Path, dict[str, Any]], tmp_path: Path) -> dict[str, Any]:
    """A match that was played, in the database of `table`."""
    directory, told = played
    for file in directory.glob("arena.db*"):  # the bots are there already, and nobody but root writes over them
        shutil.copy(file, tmp_path)
    return told


def test_a_match_is_played_and_shown(table: Arena) -> None:
    finished = table(*MATCH)
    assert finished.code == 0
    for fact in ("finished", "ended by the rules", "ada", "bob", "eve", "`arena replay show "):
        assert fact in finished.out


def test_a_match_has_the_bots_in_the_seats_named(match: dict[str, Any]) -> None:
    assert [seat["bot"] for seat in match["seats"]] == ["ada", "bob", "eve"]
    assert min(seat["rank"] for seat in match["seats"]) == 1


def test_a_single_match_is_unrated_unless_asked(table: Arena) -> None:
    table(*MATCH)
    assert table("leaderboard", "--json").json == []
    table(*MATCH, "--rated")
    assert table("leaderboard", "--json").json[0]["matches"] == 1


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
        "decisions under 20 ms are not looked at",
    ):
        assert word in shown
    times = table("match", "show", match["match_id"], "--times", "--json").json["times"]
    assert len(times["decisions"]) == match["decisions"]
    assert {row["charged_us"] for row in times["decisions"]} == {1000}
    assert [row["bot"] for row in times["totals"]] == ["ada", "bob", "eve"]
    assert sum(row["charged_us"] for row in times["totals"]) == 1000 * match["decisions"]


@pytest.mark.parametrize("command", [["match", "show"], ["replay", "show"], ["replay", "verify"]])
def test_an_unknown_match_is_refused_with_where_to_look(table: Arena, command: list[str]) -> None:
    assert "arena tournament show" in table.refusal(*command, "ffffffff")


def test_a_beginning_that_fits_several_matches_is_refused(table: Arena) -> None:
    first, second = (table(*MATCH, "--json").json["match_id"] for _ in range(2))
    assert first[:6] == second[:6]
    refusal = table.refusal("match", "show", first[:6])
    assert f"{first[:6]!r} fits 2 matches; give more digits" in refusal
    assert "arena tournament show TOURNAMENT --matches" in refusal


def test_faults_are_shown_with_their_evidence_and_without_terminal_codes(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "cheat", "cheat"))
    shown = table("match", "run", "--game", "foreign_king", "--bots", "ada,cheat,bob").out
    assert "seat 1 (cheat), ply" in shown
    assert "ILLEGAL_ACTION: It chose action" in shown
    assert "forfeited" in shown
    assert "    last ?[31mline" in shown
    assert "\x1b" not in shown


def test_a_bot_plays_itself_but_not_for_a_rating(table: Arena) -> None:
    match = ("match", "run", "--game", "foreign_king", "--bots", "ada,ada")
    assert table(*match).code == 0
    assert "more than once" in table.refusal(*match, "--rated")


def test_a_replay_is_shown_ply_by_ply(table: Arena, match: dict[str, Any]) -> None:
    shown = table("replay", "show", match["match_id"])
    assert shown.code == 0
    assert len([line for line in shown.out.splitlines() if " bot " in line or " opening " in line]) > 10
    assert "ended  by the rules" in shown.out
    assert " wants to build a factory." in shown.out
    assert re.search(r"SCORING +ada \(\w\) ", shown.out)
    assert re.search(r"total( +-?\d+){3}", shown.out)


def test_a_replay_is_told_in_other_languages(table: Arena, match: dict[str, Any]) -> None:
    shown = table("replay", "show", match["match_id"], "--lang", "it")
    assert " vuole costruire una fabbrica." in shown.out
    assert "Prestiti aperti" in shown.out


def test_what_each_ply_was_is_told_to_programs_too(table: Arena, match: dict[str, Any]) -> None:
    document = table("replay", "show", match["match_id"], "--json").json
    assert [ply["ply"] for ply in document["plies"]] == list(range(match["plies"]))
    assert all(ply["words"] and ply["action"] and len(ply["values"]) == 3 for ply in document["plies"])
    assert document["scoring"][-1]["sums"] == document["result"]["details"]["scores"]
    last = table("replay", "show", match["match_id"], "--ply", "4", "--json").json["last"]
    assert last == document["plies"][3]


def test_a_replay_of_other_rules_is_told_by_its_notation(
    table: Arena, match: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(registry.get("foreign_king")), "rules_version", "99")
    shown = table("replay", "show", match["match_id"])
    assert "told by notation alone: it was played by version" in shown.err
    assert "ACT_BUILD" in shown.out
    assert "wants to build" not in shown.out
    assert "installed is 99" in table.refusal("replay", "show", match["match_id"], "--ply", "3", code=1)


def test_a_replay_is_json_for_programs(table: Arena, match: dict[str, Any]) -> None:
    document = table("replay", "show", match["match_id"], "--json").json
    assert document["match_id"] == match["match_id"]
    assert len(document["entries"]) == match["plies"]


def test_any_position_of_a_replay_is_shown_and_drawn(table: Arena, match: dict[str, Any], tmp_path: Path) -> None:
    for ply in (0, 5, match["plies"]):
        assert f"before ply {ply} of" in table("replay", "show", match["match_id"], "--ply", str(ply)).out
    assert table("replay", "show", match["match_id"], "--svg", tmp_path / "end.svg").code == 0
    assert "<svg" in (tmp_path / "end.svg").read_text(encoding="utf-8")


def test_a_ply_beyond_the_end_is_refused(table: Arena, match: dict[str, Any]) -> None:
    refusal = table.refusal("replay", "show", match["match_id"], "--ply", str(match["plies"] + 1))
    assert f"--ply {match['plies']} is its end" in refusal


def test_a_sound_match_verifies_alone_by_tournament_and_with_all(table: Arena, match: dict[str, Any]) -> None:
    for words in ([match["match_id"]], ["--tournament", "match-1"], ["--all"]):
        assert table("replay", "verify", *words, "--json").json == {
            "matches": 1,
            "verified": 1,
            "removed": 0,
            "broken": [],
        }
    assert table("replay", "verify", "--all").out == "1 match: 1 verified, 0 broken\n"


@pytest.mark.parametrize("words", [[], ["abcd", "--all"]])
def test_verify_wants_to_know_what(table: Arena, words: list[str]) -> None:
    assert "say what to verify" in table.refusal("replay", "verify", *words)


@pytest.mark.parametrize("place", [0, 2, 100, -33, -1])
def test_one_flipped_byte_of_a_replay_is_detected(table: Arena, match: dict[str, Any], place: int) -> None:
    with closing(sqlite3.connect(table.db)) as connection, connection:
        (data,) = connection.execute("SELECT data FROM replay").fetchone()
        flipped = bytearray(data)
        flipped[place] ^= 1
        connection.execute("UPDATE replay SET data = ?", (bytes(flipped),))
    finished = table("replay", "verify", "--all")
    assert finished.code == 1
    assert "1 match: 0 verified, 1 broken" in finished.out
    assert match["match_id"][-8:] in finished.out


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE match SET game_digest = '00'",
        "UPDATE match SET record_digest = '00'",
        "UPDATE match SET plies = 1",
        "UPDATE match SET decisions = 1",
        "UPDATE match SET by_rules = 0",
        "UPDATE match SET rated = 0",
        "UPDATE match SET details = '{}'",
        "UPDATE match SET started_at_us = 1",
        "UPDATE match SET duration_us = 1",
        "UPDATE match_seat SET forfeit = 1 WHERE seat = 0",
        "UPDATE match_seat SET resigned = 1 WHERE seat = 0",
        "UPDATE block SET chance_seed = 1",
        "UPDATE block SET opening = '[]'",
        "UPDATE pool SET cores = 7",
    ],
)
def test_a_changed_fact_in_the_database_is_detected(table: Arena, match: dict[str, Any], change: str) -> None:
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute(change)
    assert "in the database" in table("replay", "verify", "--all").out


def test_a_match_with_a_forfeit_is_verified(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "cheat", "cheat"))
    table("match", "run", "--game", "foreign_king", "--bots", "ada,cheat,bob")
    assert table("replay", "verify", "--all").code == 0


def test_changed_ranks_in_the_database_are_detected(table: Arena, match: dict[str, Any]) -> None:
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE match_seat SET rank = 4 - rank")
    finished = table("replay", "verify", "--all")
    assert finished.code == 1
    assert "ranks" in finished.out


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
    assert shown.count("fault of the host: WORKER_DIED: worker 1 died (signal 9)") == 3
    assert shown.count("    the last words of worker 1") == 3
    assert f"is void: {reason}" in table("tournament", "show", match["tournament"], "--matches").out


@pytest.mark.parametrize("alone", [True, False])
def test_a_finished_match_without_a_replay_is_broken(table: Arena, match: dict[str, Any], alone: bool) -> None:
    table(*MATCH)
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("DELETE FROM replay WHERE match_id = ?", (match["match_id"],))
    finished = table("replay", "verify", match["match_id"] if alone else "--all")
    assert finished.code == 1
    assert f"match {match['match_id'][-8:]}: finished without a replay" in finished.out
    assert ("1 match: 0 verified, 1 broken" if alone else "2 matches: 1 verified, 1 broken") in finished.out


def test_a_void_match_is_reported_at_the_end_and_listed(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "lost", "lost"))
    order = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,lost")
    finished = table(*order, "--name", "monday", "--workers", "1")
    assert finished.code == 0, finished
    assert "2 matches are void, by no fault of a bot, and not rated" in finished.err
    assert "arena match list monday --state void" in finished.err
    assert finished.err.count("3 attempts failed; the last: worker 1 died (signal 9)") == 2
    void = table("match", "list", "monday", "--state", "void", "--json").json
    assert [(row["state"], row["attempt"]) for row in void] == [("void", 3)] * 2
    assert table("match", "list").out.count("worker 1 died") == 2
    assert table("match", "list", "monday", "--state", "finished").out == "no such matches\n"
    assert table("leaderboard", "--json").json == []


def test_a_list_of_matches_in_no_such_state_is_refused(table: Arena, match: dict[str, Any]) -> None:
    assert "there are planned, leased, finished, void" in table.refusal("match", "list", "--state", "lost")
    assert table("match", "list", "--state", "void").out == "no such matches\n"


def test_the_owner_of_a_bots_fault_and_the_level_of_its_sandbox_are_told(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "cheat", "cheat"))
    match = table("match", "run", "--game", "foreign_king", "--bots", "ada,cheat,bob", "--json").json
    assert [fault["owner"] for fault in match["faults"]] == ["bot"]
    assert match["sandbox"] == "none"
    assert "\nsandbox     none\n" in table("match", "show", match["match_id"]).out


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


@pytest.mark.parametrize(
    ("option", "value"), [("--leak-checks", "101%"), ("--leak-checks", "some"), ("--warm-memory", "1GB")]
)
def test_options_about_hosting_that_make_no_sense_are_refused(table: Arena, option: str, value: str) -> None:
    order = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,bob")
    assert f"{option} {value!r} is no" in table.refusal(*order, option, value)


def test_an_unrated_match_says_so(table: Arena, match: dict[str, Any]) -> None:
    assert match["rated"] is False
    assert table(*MATCH, "--rated", "--json").json["rated"] is True


def test_the_end_of_a_replay_is_written_for_people(table: Arena, match: dict[str, Any]) -> None:
    end = table("replay", "show", match["match_id"]).out.partition("ranks")[2]
    assert not set("[]{}'") & set(end)


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
