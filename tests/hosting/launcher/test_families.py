"""The launcher leaves nothing behind: no child of a process, no directory, however it ends itself."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena.hosting.errors import LauncherLostError
from arena.hosting.launcher.client import LauncherClient
from arena.hosting.launcher.messages import StartRequest
from arena.hosting.procfs.processes import list_processes
from tests.hosting.launcher.running import NAP, launcher_of, run
from tests.support.patience import PATIENCE_S
from tests.support.processes import marked_processes, wait_until


def members(session: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for pid in list_processes():
        with suppress(OSError):
            found += [pid] if os.getsid(pid) == session else []
    return found


FAMILY = f"""
import subprocess, sys
nap = [sys.executable, "-S", "-c", {NAP!r}]
subprocess.Popen(nap)
subprocess.Popen(nap, process_group=0)
subprocess.Popen(nap, start_new_session=True)
subprocess.run([sys.executable, "-S", "-c", f"import subprocess; subprocess.Popen({{nap!r}}, start_new_session=True)"])
"""


@pytest.mark.hostile("leave-daemons")
@pytest.mark.parametrize("end", ["", "import os; os.kill(os.getpid(), 9)"])
async def test_when_an_end_is_told_its_whole_family_is_gone(launcher: LauncherClient, mark: str, end: str) -> None:
    process = await run(launcher, FAMILY + end)
    await process.exited
    assert not any("time.sleep" in command for command in marked_processes(mark).values())


async def test_the_family_of_a_living_process_is_left_alone(launcher: LauncherClient, mark: str) -> None:
    living = await run(launcher, FAMILY + f"print('up', flush=True); {NAP}", ARENA_TOKEN="living")
    while not (await living.collect()).stdout:
        pass
    other = await run(launcher, "pass", ARENA_TOKEN="other")
    await other.exited
    assert sum("time.sleep" in command for command in marked_processes(mark).values()) == 5
    await living.end()


async def test_a_helper_without_an_environment_stays_with_its_living_parents_session(
    launcher: LauncherClient, mark: str, tmp_path: Path
) -> None:
    helper = f"open({str(tmp_path / 'up')!r}, 'w').close(); {NAP}"
    orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-S', '-c', {helper!r}], env={{}})"
    program = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {orphan!r}]); print(1, flush=True); {NAP}"
    )
    living = await run(launcher, program, ARENA_TOKEN="living")
    while not (await living.collect()).stdout or not (tmp_path / "up").exists():
        pass
    await (await run(launcher, "pass", ARENA_TOKEN="other")).exited
    assert len(members(living.pid)) == 2
    await living.end()
    assert members(living.pid) == []


async def test_leaving_kills_everything(mark: str) -> None:
    async with LauncherClient() as launcher:
        process = await run(launcher, FAMILY + NAP)
        assert process.pid in marked_processes(mark)
    assert marked_processes(mark) == {}


@pytest.mark.host_fault("launcher-killed")
async def test_a_launcher_that_is_killed_takes_its_processes_with_it_and_is_reported(mark: str) -> None:
    async with LauncherClient() as launcher:
        process = await run(launcher, NAP)
        pid = launcher_of(mark)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(LauncherLostError):
            await process.end(grace_s=PATIENCE_S)
        while not launcher.is_lost:
            await asyncio.sleep(0.005)
        with pytest.raises(LauncherLostError):
            await run(launcher, NAP)
    wait_until(lambda: marked_processes(mark) == {})


@pytest.mark.host_fault("launcher-killed")
async def test_daemons_and_directories_of_a_launcher_that_is_killed_are_removed_too(mark: str, tmp_path: Path) -> None:
    directory = tmp_path / "runtime"
    directory.mkdir()
    async with LauncherClient(remove=[directory]) as launcher:
        process = await run(launcher, FAMILY + f"print('up', flush=True); {NAP}", ARENA_TOKEN="killed")
        while not (await process.collect()).stdout:
            pass
        os.kill(launcher_of(mark), signal.SIGKILL)
        wait_until(lambda: not any("time.sleep" in command for command in marked_processes(mark).values()))
    wait_until(lambda: not directory.exists() and marked_processes(mark) == {})


@pytest.mark.parametrize("number", [None, signal.SIGTERM])
def test_at_the_end_of_stdin_and_at_term_it_kills_and_removes(
    mark: str, tmp_path: Path, number: signal.Signals | None
) -> None:
    directory = tmp_path / "runtime"
    directory.mkdir()
    program = Path(sys.modules[LauncherClient.__module__].__file__ or "").parent / "__main__.py"
    command = [sys.executable, "-I", "-S", str(program), str(directory)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as launcher:
        assert launcher.stdin is not None
        assert launcher.stdout is not None
        request = StartRequest([sys.executable, "-S", "-c", NAP], "/", {"HOME": os.environ["HOME"]})
        launcher.stdin.write(json.dumps({"do": "start", "id": 1, "request": request.to_json()}).encode() + b"\n")
        launcher.stdin.flush()
        assert b'"started"' in launcher.stdout.readline()
        if number is None:
            launcher.stdin.close()
        else:
            launcher.send_signal(number)
        assert launcher.wait() == 0
    assert not directory.exists()
    assert marked_processes(mark) == {}


async def test_a_cancelled_start_leaves_no_process(launcher: LauncherClient, mark: str) -> None:
    start = asyncio.create_task(run(launcher, NAP))
    await asyncio.sleep(0)
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    await (await run(launcher, "pass")).exited
    while any("time.sleep" in command for command in marked_processes(mark).values()):
        await asyncio.sleep(0.005)


@pytest.mark.host_fault("launcher-stopped")
async def test_a_launcher_that_is_stopped_is_lost_and_its_bots_end(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.hosting.pipes.BEAT_S", 0.05)
    monkeypatch.setattr("arena.hosting.pipes.SILENCE_S", PATIENCE_S)
    async with LauncherClient() as launcher:
        process = await run(launcher, NAP)
        os.kill(launcher.pid, signal.SIGSTOP)
        # Until now it may have been silent for want of a core.
        monkeypatch.setattr("arena.hosting.pipes.SILENCE_S", 1.0)
        with pytest.raises(LauncherLostError):
            await process.wait(PATIENCE_S)
    wait_until(lambda: marked_processes(mark) == {})
