"""What a command says when the machine fails it, and what can be done then."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from arena.cli.shared.errors import report
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from tests.cli.support import ROUND_ROBIN, Arena, write_bot
from tests.cli.table import TableExecutor


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


@pytest.mark.hostile("have-ones-matches-lost-by-the-host")
def test_a_fault_of_the_host_that_only_meets_one_bots_matches_is_told_with_its_name(
    table: Arena, tmp_path: Path
) -> None:
    table("bot", "add", write_bot(tmp_path / "shaky", "shaky"))
    others = ("--seats", "2", "--bots", "ada,bob,eve,shaky", "--blocks", "2", "--workers", "8")
    order = (*ROUND_ROBIN[:5], *others, *ROUND_ROBIN[-2:])
    finished = table(*order, "--name", "monday")
    named = (
        "lost by the host (WORKER_DIED): 12 attempts at 12 matches; "
        "shaky (version 1) sat in 12 of these matches, which chance hardly explains: look at that bot first"
    )
    assert named in finished.err.splitlines()
    assert named in table("tournament", "show", "monday").out.splitlines()
    assert table("tournament", "show", "monday", "--json").json["host_losses"] == [
        {"cause": "WORKER_DIED", "attempts": 12, "matches": 12, "bot": "shaky", "version": 1, "sat_in": 12}
    ]
