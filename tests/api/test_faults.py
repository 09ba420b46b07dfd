"""What a callable does wrong is a bot's fault in its match, and everybody else plays on."""

from pathlib import Path

import pytest

from arena.api import Arena, Entrant
from tests.api.players import CannotBeMade, answers_nonsense, cheats, first, never_answers, raises
from tests.support.patience import PATIENCE_S, patient_autopsies

START = f"{PATIENCE_S:g}s"
WRONG = [
    (raises, "DISCONNECTED", "RuntimeError: this one has no idea"),
    (answers_nonsense, "DISCONNECTED", "decide returned 'the best one'; return an action id"),
    (cheats, "ILLEGAL_ACTION", ""),
    (CannotBeMade, "START_FAILED", "OSError: there are no weights here"),
]


def test_the_match_tells_what_each_callable_did_wrong(tmp_path: Path) -> None:
    bots = [*(bot for bot, _, _ in WRONG), Entrant(first, name="honest")]
    with Arena(tmp_path / "faults.db", workers=1) as arena, patient_autopsies():
        played = arena.match("rex_romanorum", bots, clock=START, start_limit=START)
    assert played.ranks == (4, 3, 2, 5, 1)
    faults = {fault.seat: fault for fault in played.faults}
    assert sorted(faults) == [0, 1, 2, 3]
    for seat, (_, cause, said) in enumerate(WRONG):
        assert faults[seat].cause == cause
        assert f"(seat {seat}) was at fault at ply {faults[seat].ply}, {cause}" in repr(played)
        assert said in repr(played)


@pytest.mark.needs("minutes")
def test_one_that_never_answers_is_out_of_time(tmp_path: Path) -> None:
    with Arena(tmp_path / "faults.db", workers=1) as arena:
        played = arena.match("foreign_king", [never_answers, first], clock="50ms", start_limit=START)
    (fault,) = [fault for fault in played.faults if fault.seat == 0]
    assert fault.cause == "TIMEOUT"
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
