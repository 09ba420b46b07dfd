"""What went wrong is seen: faults of bots after a run and in lists of matches, and faults of the machine."""

from __future__ import annotations

import asyncio
import errno
import os
import shlex
import signal
from pathlib import Path

import pytest

from arena.cli.shared.errors import report
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from tests.cli.support import ROUND_ROBIN, Arena, Finished, write_bot
from tests.cli.table import TableExecutor
from tests.support.patience import PATIENCE_S

CHEATED_ROUNDS = [
    "tournament",
    "run",
    "round-robin",
    "--game",
    "foreign_king",
    "--seats",
    "2",
    "--seed",
    "1",
    "--option",
    "max_rounds=2",
]


@pytest.fixture
def cheated(table: Arena, tmp_path: Path) -> Finished:
    return run(table, tmp_path)


def run(arena: Arena, tmp_path: Path, *words: str) -> Finished:
    """A tournament in which one bot cheats."""
    write_bot(tmp_path / "cheat", "cheat")
    line = " ".join([*CHEATED_ROUNDS, "--bots ada,bob,cheat --name monday", *words])
    _, played = arena.played("bot add cheat", line)
    assert played.code == 0, played
    return played


def commands_in(line: str) -> list[list[str]]:
    """The command lines that a line of text names, without the program."""
    return [shlex.split(part)[1:] for part in line.split("`")[1::2]]


def test_after_a_run_the_faults_are_told_by_bot_and_cause_with_commands_that_show_them(
    cheated: Finished, arena_cli: Arena
) -> None:
    head, row, line = cheated.err[cheated.err.index("Faults of bots") :].splitlines()[1:4]
    assert head.split("  ")[0] == "BOT"
    assert row.split()[:4] == ["cheat", "1", "ILLEGAL_ACTION", "4"]
    one, every = commands_in(line)
    assert one[2] == row.split()[-1]
    assert "cheat" in arena_cli(*one).out
    assert "ILLEGAL_ACTION: " in arena_cli(*one).out
    assert arena_cli(*every).out.count("cheat: ILLEGAL_ACTION") == 4


def test_for_programs_the_table_of_a_run_tells_what_each_bot_did_wrong(table: Arena, tmp_path: Path) -> None:
    told = {row["bot"]: row for row in run(table, tmp_path, "--json").json}
    (fault,) = told["cheat"]["faults"]
    assert (fault["cause"], fault["matches"]) == ("ILLEGAL_ACTION", 4)
    assert table("match", "show", fault["match_id"], "--json").json["faults"][0]["bot"] == "cheat"
    assert told["ada"]["faults"] == told["bob"]["faults"] == []


def test_a_run_without_a_fault_and_one_match_say_nothing_of_it(table: Arena, tmp_path: Path) -> None:
    assert "Faults" not in table(*CHEATED_ROUNDS, "--bots", "ada,bob").err
    table("bot", "add", write_bot(tmp_path / "cheat", "cheat"))
    assert "Faults" not in table("match", "run", "--game", "foreign_king", "--bots", "ada,cheat").err


def test_a_tournament_shows_its_faults_and_marks_its_matches(cheated: Finished, arena_cli: Arena) -> None:
    shown = arena_cli("tournament", "show", "monday", "--matches").out
    assert ["cheat", "1", "ILLEGAL_ACTION", "4"] in [line.split()[:4] for line in shown.splitlines()]
    assert shown.count("cheat(2)!") == shown.count("cheat: ILLEGAL_ACTION") == 4
    told = arena_cli("tournament", "show", "monday", "--json").json
    (fault,) = told["faults"]
    assert (fault["bot"], fault["version"], fault["cause"], fault["matches"]) == ("cheat", 1, "ILLEGAL_ACTION", 4)
    by_match = {match["id"]: [seat["fault"] for seat in match["seats"]] for match in told["matches"]}
    assert sorted(by_match[fault["match_id"]], key=str) == ["ILLEGAL_ACTION", None]


def test_a_comparison_tells_its_faults_at_its_end(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "cheat", "cheat"))
    words = ["compare", "cheat", "ada", "--game", "foreign_king", "--seed", "1", "--max-blocks", "2"]
    for style in ([], ["--json"]):
        compared = table(*words, *style)
        rows = [line.split()[:3] for line in compared.err.splitlines()]
        assert ["cheat", "1", "ILLEGAL_ACTION"] in rows
    (fault,) = compared.json["faults"]
    assert fault["matches"] == compared.json["new_forfeits"] == compared.json["losses"]


def test_a_run_that_is_stopped_tells_the_faults_so_far(
    table: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(TableExecutor):
        played = 0

        async def run(self, spec: MatchSpec) -> MatchReport:
            self.played += 1
            if self.played == 3:
                os.kill(os.getpid(), signal.SIGINT)  # once: a second one would end this process at once
            if self.played >= 3:
                await asyncio.sleep(PATIENCE_S)
            return await super().run(spec)

        async def cancel(self, match_id: str) -> None:
            """Nothing is in flight here."""

    monkeypatch.setattr("arena.cli.shared.play_tournament.LocalExecutor", Interrupted)
    table("bot", "add", write_bot(tmp_path / "cheat", "cheat"))
    stopped = table(*CHEATED_ROUNDS, "--bots", "ada,cheat", "--blocks", "5", "--workers", "1")
    assert stopped.code == 130
    told = stopped.err[stopped.err.index("Faults of bots") :].splitlines()
    assert told[2].split()[:3] == ["cheat", "1", "ILLEGAL_ACTION"]
    assert told[-1].startswith("arena: stopped; ")


LISTED = [
    (["monday", "--fault"], 4),
    (["monday", "--fault", "--limit", "0"], 4),
    (["--fault", "--bot", "cheat"], 4),
    (["--fault", "any", "--bot", "ada"], 0),
    (["--fault", "illegal_action"], 4),
    (["--fault", "TIMEOUT"], 0),
    (["monday"], 6),
]


def test_the_list_shows_matches_in_which_a_bot_was_at_fault(cheated: Finished, arena_cli: Arena) -> None:
    for words, count in LISTED:
        listed = arena_cli("match", "list", *words, "--json").json
        assert len(listed) == count, words
        at_fault = [seat["bot"] for match in listed for seat in match["seats"] if seat["fault"]]
        assert at_fault == ["cheat"] * min(count, 4), words
        if count:
            assert arena_cli("match", "list", *words).out.count("cheat(2)!") == 4, words


def test_a_cause_that_there_is_not_is_refused_with_those_that_there_are(table: Arena) -> None:
    assert "TIMEOUT" in table.refusal("match", "list", "--fault", "boredom")


def test_the_next_page_of_faults_is_asked_for_as_the_first(cheated: Finished, arena_cli: Arena) -> None:
    first = arena_cli("match", "list", "--fault", "--limit", "3")
    (more,) = commands_in(first.out.splitlines()[-1].replace(": ", ": `") + "`")
    assert arena_cli(*more).out.count("cheat(2)!") == 1


@pytest.mark.host_fault("database-taken-away")
def test_a_database_taken_away_from_a_run_is_put_back_by_the_command_it_names(
    table: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = TableExecutor.run

    async def take_away_and_play(executor: TableExecutor, spec: MatchSpec) -> MatchReport:
        for file in table.db.parent.glob("arena.db*"):
            if not file.name.endswith(".lock"):
                file.unlink()
        return await play(executor, spec)

    monkeypatch.setattr(TableExecutor, "run", take_away_and_play)
    stopped = table(*ROUND_ROBIN, "--name", "monday")
    kept = table.db.with_name("arena.db.rescued-1")
    assert stopped.code == 1
    assert f"was taken away while it was in use; nothing is recorded there any more; then `mv {kept} " in stopped.err
    assert list(table.db.parent.glob("arena.db*")) == [kept]
    monkeypatch.setattr(TableExecutor, "run", play)
    kept.rename(table.db)
    assert table("tournament", "resume", "monday").code == 0
    assert table("db", "check").code == 0


@pytest.mark.host_fault("disk-full-in-a-tournament", "quota-exceeded")
def test_a_full_disk_is_named_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    for error in (OSError(errno.ENOSPC, "No space left on device", "/x"), OSError(errno.EDQUOT, "Quota exceeded")):
        assert report(error) == 1
    assert capsys.readouterr().err.splitlines() == [
        "arena: there is no room left for /x; free some space and run the command again",
        "arena: there is no room left on the disk; free some space and run the command again",
    ]


@pytest.mark.host_fault("ulimit-of-file-size", "few-descriptors")
def test_a_limit_of_the_host_is_named_with_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (4096, 4096))
    for number in (errno.EFBIG, errno.EMFILE):
        assert report(OSError(number, os.strerror(number), "/x")) == 1
    size, number_of_files = capsys.readouterr().err.splitlines()
    assert size.startswith("arena: /x would become larger than files may be here (4 kB, ulimit -f); raise the limit ")
    assert number_of_files.startswith("arena: this host allows a process 4096 open files (ulimit -n), and /x would be ")


@pytest.mark.hostile("have-ones-matches-lost-by-the-host")
def test_a_lack_of_memory_is_named_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(MemoryError()) == 1
    assert capsys.readouterr().err.startswith("arena: there is not enough memory; end other programs, or raise ")


def test_a_fault_of_the_host_that_only_meets_one_bots_matches_is_told_with_its_name(
    table: Arena, tmp_path: Path
) -> None:
    table("bot", "add", write_bot(tmp_path / "shaky", "shaky"))
    others = ("--seats", "2", "--bots", "ada,bob,eve,shaky", "--blocks", "2", "--workers", "8")
    order = (*ROUND_ROBIN[:5], *others, *ROUND_ROBIN[-2:])
    finished = table(*order, "--name", "monday")
    named = (
        "lost by the host (WORKER_DIED): 12 attempts at 12 matches; "
        "shaky (version 1) played in 12 of these matches, more than chance explains: look at that bot first"
    )
    assert named in finished.err.splitlines()
    assert named in table("tournament", "show", "monday").out.splitlines()
    assert table("tournament", "show", "monday", "--json").json["host_losses"] == [
        {"cause": "WORKER_DIED", "attempts": 12, "matches": 12, "bot": "shaky", "version": 1, "sat_in": 12}
    ]


def add_broken(arena: Arena, tmp_path: Path, count: int) -> list[str]:
    """Add bots that do not start."""
    names = [f"broken{number}" for number in range(count)]
    arena("bot", "add", *(write_bot(tmp_path / name, name) for name in names))
    return names


@pytest.mark.parametrize("seats", [2, 3])
def test_a_run_in_which_no_bot_starts_has_no_valid_result_and_fails(table: Arena, tmp_path: Path, seats: int) -> None:
    bots = ",".join(add_broken(table, tmp_path, seats))
    line = ["round-robin", "--game", "foreign_king", "--seats", str(seats), "--bots", bots, "--name", "none"]
    played = table("tournament", "run", *line)
    assert played.code == 1
    assert "no match of 'none' has a valid result" in played.err
    rows = [line.split(None, 8) for line in played.out.splitlines() if line.lstrip().startswith("1  broken")]
    assert [row[3:] for row in rows] == [["0", "0", "0", "0", "0.0%", f"{seats}  no valid result"]] * seats
    assert table("match", "list", "none").out.count("no valid result") == seats
    for match in table("match", "list", "none", "--json").json:
        assert ([seat["rank"] for seat in match["seats"]], match["valid_result"]) == ([None] * seats, False)
    assert table("db", "check").code == 0


def test_one_match_in_which_no_bot_starts_has_no_valid_result_and_fails(table: Arena, tmp_path: Path) -> None:
    bots = ",".join(add_broken(table, tmp_path, 2))
    words = ["match", "run", "--game", "foreign_king", "--bots", bots]
    played = table(*words)
    assert (played.code, "the match has no valid result" in played.err) == (1, True)
    match, state = (played.out.splitlines()[at].split(None, 1)[1] for at in (0, 3))
    assert state == "no valid result"
    assert "ranks  no valid result" in table("replay", "show", match).out
    detail = table(*words, "--json").json
    assert ([seat["rank"] for seat in detail["seats"]], detail["valid_result"]) == ([None, None], False)


def test_a_match_without_a_valid_result_leaves_the_others_alone(table: Arena, tmp_path: Path) -> None:
    bots = ",".join([*add_broken(table, tmp_path, 2), "ada"])
    line = ["round-robin", "--game", "foreign_king", "--seats", "2", "--bots", bots, "--name", "some", "--json"]
    played = table("tournament", "run", *line)
    assert played.code == 0
    told = {row["bot"]: (row["matches"], row["points"], row["forfeits"]) for row in played.json}
    assert told == {"ada": (4, 8, 0), "broken0": (2, 0, 4), "broken1": (2, 0, 4)}
    assert table("leaderboard", "--json").json


def test_a_comparison_of_versions_that_do_not_start_has_no_valid_result(table: Arena, tmp_path: Path) -> None:
    bots = add_broken(table, tmp_path, 2)
    compared = table("compare", *bots, "--game", "foreign_king", "--max-blocks", "2")
    assert (compared.code, "has a valid result" in compared.err) == (1, True)
