"""Programs that use the arena as programs do: without a guard around them, until Ctrl-C."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.api import Arena, RunStoppedError
from arena.tournament.run_progress import RunProgress
from tests.api.players import first
from tests.api.stalling import PLAYED, stalling
from tests.support.patience import PATIENCE_S
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
