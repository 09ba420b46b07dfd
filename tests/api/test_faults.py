"""What a callable does wrong is a bot's fault in its match, and everybody else plays on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.api import Arena, Entrant
from tests.api.players import CannotBeMade, answers_nonsense, cheats, first, never_answers, raises
from tests.support.patience import PATIENCE_S, patient_autopsies

START = f"{PATIENCE_S:g}s"


@pytest.mark.parametrize(
    ("bot", "clock", "cause", "said"),
    [
        (raises, START, "DISCONNECTED", "RuntimeError: this one has no idea"),
        (answers_nonsense, START, "DISCONNECTED", "decide returned 'the best one'; return an action id"),
        (cheats, START, "ILLEGAL_ACTION", ""),
        (CannotBeMade, START, "START_FAILED", "OSError: there are no weights here"),
        (never_answers, "50ms", "TIMEOUT", ""),
    ],
)
def test_the_match_tells_what_a_callable_did_wrong(
    bot: Callable[..., Any], clock: str, cause: str, said: str, tmp_path: Path
) -> None:
    with Arena(tmp_path / "faults.db", workers=1) as arena, patient_autopsies():
        played = arena.match("foreign_king", [bot, Entrant(first, name="honest")], clock=clock, start_limit=START)
    faults = [fault for fault in played.faults if fault.seat == 0]
    assert [fault.cause for fault in faults] == [cause]
    assert played.ranks[0] == 2
    assert said in repr(played)
    assert f"at fault at ply {faults[0].ply}, {cause}" in repr(played)


def test_a_tournament_goes_on_without_the_one_that_raises(tmp_path: Path) -> None:
    bots = [raises, Entrant(first, name="honest"), "random"]
    with Arena(tmp_path / "faults.db", workers=2) as arena:
        played = arena.tournament("foreign_king", bots, clock=START, start_limit=START, seed=2, progress=False)
        assert played.is_over
        assert {(fault.bot, fault.cause) for fault in played.faults} == {("raises", "DISCONNECTED")}
        assert [row.forfeits for row in played if row.bot == "raises"] == [4]
        assert [row.matches for row in played] == [4, 4, 4]
        assert "raises: DISCONNECTED in 4 matches" in repr(played)
        assert len(arena.matches(played.name, fault="any")) == 4
