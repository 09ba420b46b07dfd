from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.cli.verbs.match.problems import print_problems
from arena.model.matches import AttemptFact, MatchDetail
from engine.core import UnknownGameError
from ratings.values.states import AttemptState
from tests.cli.support import MATCH, Arena, write_bot

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
        "decisions under 20 ms are not looked at",
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
    assert shown.count("fault of the host: WORKER_DIED: worker 1 died (signal 9)") == 3
    assert shown.count("    the last words of worker 1") == 3
    assert f"is void: {reason}" in table("tournament", "show", match["tournament"], "--matches").out


def test_a_void_match_is_reported_at_the_end_and_listed(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "lost", "lost"))
    order = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,lost")
    finished = table(*order, "--name", "monday", "--workers", "1")
    assert finished.code == 0, finished
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
    detail = SimpleNamespace(attempts=(noted, quiet), faults=(), leak_checks=())
    print_problems(cast("MatchDetail", detail))
    told = capsys.readouterr().out.splitlines()
    assert told == ["", f"attempt 1, played all the same: {why}", "  starts: [{'seat': 2, 'bot': 'elk'}]"]
