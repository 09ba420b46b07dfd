"""Programs that use the arena as programs do, with real processes: until Ctrl-C, and with callables that do wrong."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.api import Arena, Entrant, RunStoppedError
from arena.tournament.run_progress import RunProgress
from tests.api.players import CannotBeMade, answers_nonsense, cheats, first, never_answers, raises, says
from tests.cli.table import PLAYED, stalling
from tests.support.patience import PATIENCE_S, patient_autopsies
from tests.support.processes import outliving_processes, wait_until

LONG = f"{PATIENCE_S:g}s"
HELPER = """
def pick(ids, place):
    return ids[place]
"""
STOPPED = f"""
from arena.api import Arena
from helper import pick

PLACE = 0

def mine(decision):
    return pick(decision.legal_actions, PLACE)

with Arena("study.db", workers=1) as arena:
    def tell(state):
        print(state.over, flush=True)
    arena.tournament(
        "foreign_king", ["random", mine], name="long", blocks=500, clock="{LONG}", start_limit="{LONG}", seed=1,
        progress=tell,
    )
"""


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Have Ctrl-C reach what is started even where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.needs("minutes")
@pytest.mark.usefixtures("interrupts")
def test_a_script_needs_no_guard_its_modules_go_along_and_ctrl_c_ends_it_in_good_order(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HELPER, encoding="utf-8")
    (tmp_path / "study.py").write_text(STOPPED, encoding="utf-8")
    temporary = tempfile.mkdtemp(prefix="kma-api-", dir="/tmp")
    environment = {**os.environ, "TMPDIR": temporary}
    process = subprocess.Popen(
        [sys.executable, "study.py"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while int(process.stdout.readline()) < 2:
        pass
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, told
    assert "matches of 1000 are recorded; Arena.resume('long') plays the rest" in told.splitlines()[-1]
    wait_until(lambda: not outliving_processes(f"TMPDIR={temporary}"))
    Path(temporary).rmdir()  # nothing is left in it
    with Arena(tmp_path / "study.db") as arena:
        before = arena.result("long")
        assert not before.is_over
        assert before.detail.summary.leased == 0
        assert 2 <= before.detail.summary.finished < 1000
        assert {row.bot: row.forfeits for row in before} == {"mine": 0, "random": 0}
        done: list[int] = []

        def stop_again(state: RunProgress) -> None:
            done.append(state.over)
            if state.over > done[0]:
                raise KeyboardInterrupt

        with pytest.raises(RunStoppedError, match="are recorded") as stopped:
            arena.resume("long", progress=stop_again)
        assert stopped.value.tournament == "long"
        assert done[0] == before.detail.summary.finished
        assert arena.result("long").detail.summary.finished > done[0]
        assert arena.cancel("long").matches > 0


def test_what_the_callers_function_raises_ends_the_run_and_comes_out(table: Arena) -> None:
    def fail(state: RunProgress) -> None:
        if state.over == PLAYED:
            raise ZeroDivisionError("of the caller")

    with stalling(), pytest.raises(ZeroDivisionError, match="of the caller"):
        table.tournament("foreign_king", ["random", first], blocks=3, name="mine", progress=fail)
    played = table.resume("mine", progress=False)
    assert played.is_over
    assert [row.matches for row in played] == [6, 6]


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
