"""What a callable does wrong is a bot's fault in its match, and everybody else plays on."""

import asyncio
from pathlib import Path

import pytest

from arena.api import Arena, Entrant
from tests.api.players import CannotBeMade, answers_nonsense, cheats, first, never_answers, raises, says
from tests.support.patience import PATIENCE_S, patient_autopsies

START = f"{PATIENCE_S:g}s"
WRONG = [
    (raises, "DISCONNECTED", "RuntimeError: this one has no idea"),
    (answers_nonsense, "DISCONNECTED", "decide returned 'the best one'; return an action id"),
    (cheats, "ILLEGAL_ACTION", ""),
    (CannotBeMade, "START_FAILED", "OSError: there are no weights here"),
]


async def test_where_an_event_loop_runs_a_match_tells_what_each_callable_did_wrong_and_keeps_what_one_prints(
    tmp_path: Path,
) -> None:
    assert asyncio.get_running_loop().is_running()
    bots = [says, *(bot for bot, _, _ in WRONG)]
    with Arena(tmp_path / "faults.db", workers=1, logs=True) as arena, patient_autopsies():
        played = arena.match("rex_romanorum", bots, clock=START, start_limit=START)
        texts = {log.bot: log.text for log in arena.logs(played.id)}
    assert played.ranks == (1, 4, 3, 2, 5)
    faults = {fault.seat: fault for fault in played.faults}
    assert sorted(faults) == [1, 2, 3, 4]
    for seat, (_, cause, said) in enumerate(WRONG, 1):
        assert faults[seat].cause == cause
        assert f"(seat {seat}) was at fault at ply {faults[seat].ply}, {cause}" in repr(played)
        assert said in repr(played)
    assert texts["says"].startswith("I look at ")
    assert not texts.get("cheats")


@pytest.mark.needs("minutes")
def test_one_that_never_answers_is_out_of_time(tmp_path: Path) -> None:
    with Arena(tmp_path / "faults.db", workers=1) as arena:
        # It is asked first, so that nobody else is late, however busy the machine.
        played = arena.match("foreign_king", [never_answers, first], clock="50ms", start_limit=START, opening_plies=0)
    (fault,) = played.faults
    assert (fault.seat, fault.cause, fault.ply) == (0, "TIMEOUT", 0)
    assert played.ranks[0] == 2
    assert f"at fault at ply {fault.ply}, TIMEOUT" in repr(played)


def test_a_tournament_goes_on_without_the_one_that_is_at_fault(table: Arena) -> None:
    played = table.tournament("foreign_king", [cheats, Entrant(first, name="honest"), "random"], seed=2, progress=False)
    assert played.is_over
    assert {(fault.bot, fault.cause) for fault in played.faults} == {("cheats", "ILLEGAL_ACTION")}
    assert [row.forfeits for row in played if row.bot == "cheats"] == [4]
    assert [row.matches for row in played] == [4, 4, 4]
    assert "cheats: ILLEGAL_ACTION in 4 matches" in repr(played)
    assert len(table.matches(played.name, fault="any")) == 4
