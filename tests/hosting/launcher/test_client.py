"""The launcher: starts, signals, collects, and leaves nothing behind."""

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from arena.hosting.errors import HostBusyError, HostingError, LauncherLostError, LaunchError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.launcher.reports import Exit
from arena.hosting.launcher.request import StartRequest
from arena.hosting.proc.processes import list_processes
from tests.support.patience import PATIENCE_S, patient_endings
from tests.support.processes import marked_processes, parent_of, wait_until

NAP = "import time; time.sleep(3600)"


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with patient_endings():
        yield f"HOME={tmp_path}"
    assert marked_processes(f"HOME={tmp_path}") == {}


@pytest.fixture
async def launcher(mark: str) -> AsyncIterator[LauncherClient]:
    async with LauncherClient() as launcher:
        yield launcher


def launcher_of(mark: str) -> int:
    """Its process id; its guardian has the same command line for a moment, but another parent."""
    mine: list[int] = []

    def is_there() -> bool:  # a process that has just begun has no environment yet
        found = (pid for pid, command in marked_processes(mark).items() if "hosting/launcher" in command)
        mine[:] = [pid for pid in found if parent_of(pid) == os.getpid()]
        return bool(mine)

    wait_until(is_there)
    (pid,) = mine
    return pid


async def run(launcher: LauncherClient, program: str, *arguments: str, **environment: str) -> HostedProcess:
    inherited = {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"]}
    command = [sys.executable, "-S", "-c", program, *arguments]
    return await launcher.start(StartRequest(command, "/", {**inherited, **environment}))


async def test_the_status_of_an_exit_is_told(launcher: LauncherClient) -> None:
    process = await run(launcher, "raise SystemExit(7)")
    assert await process.exited == Exit(status=7, signal=0)
    assert process.exited.result().describe() == "exit status 7"


async def test_the_signal_that_ended_it_is_told(launcher: LauncherClient) -> None:
    process = await run(launcher, "import os; os.abort()")
    assert (await process.exited).describe() == "SIGABRT"


async def test_what_a_process_wrote_is_kept(launcher: LauncherClient) -> None:
    process = await run(launcher, "import sys; print('out'); print('err \\xe4', file=sys.stderr)")
    await process.exited
    output = await process.collect()
    assert (output.stdout, output.stderr, output.dropped) == ("out\n", "err ä\n", 0)


async def test_output_can_be_collected_while_it_runs(launcher: LauncherClient) -> None:
    process = await run(launcher, f"print('ready', flush=True); {NAP}")
    while not (await process.collect()).stdout:
        pass
    assert (await process.collect()).stdout == "ready\n"
    await process.end()


@pytest.mark.hostile("flood-output")
async def test_of_a_flood_only_the_end_is_kept(launcher: LauncherClient) -> None:
    process = await run(launcher, "import sys; sys.stdout.write('x' * 1_000_000 + 'end')")
    await process.exited
    output = await process.collect()
    assert output.stdout.endswith("xend")
    assert len(output.stdout) == 64 * 1024
    assert output.dropped == 1_000_003 - 64 * 1024


@pytest.mark.hostile("write-bytes-that-are-no-text")
async def test_bytes_that_are_no_text_do_not_harm(launcher: LauncherClient) -> None:
    process = await run(launcher, "import os; os.write(1, b'\\xff\\n\\x00')")
    await process.exited
    assert (await process.collect()).stdout == "\ufffd\n\0"


async def failure(launcher: LauncherClient, command: list[str], directory: Path) -> HostingError:
    with pytest.raises(HostingError) as caught:
        await launcher.start(StartRequest(command, str(directory), {"PATH": os.environ["PATH"]}))
    return caught.value


@pytest.mark.parametrize(
    ("content", "mode", "problem"),
    [
        (None, 0, "No such file"),
        (b"x", 0o644, "denied"),
        (b"\0", 0o755, "format"),
        (b"#!/no/sh", 0o755, "No such file"),
    ],
)
async def test_a_program_of_a_bot_that_cannot_be_started_is_its_own_fault(
    launcher: LauncherClient, tmp_path: Path, content: bytes | None, mode: int, problem: str
) -> None:
    program = tmp_path / "program"
    if content is not None:
        program.write_bytes(content)
        program.chmod(mode)
    error = await failure(launcher, [str(program)], tmp_path)
    assert type(error) is LaunchError
    assert problem in str(error)


@pytest.mark.host_fault("interpreter-is-gone")
async def test_a_missing_interpreter_or_directory_is_the_fault_of_the_host(
    launcher: LauncherClient, tmp_path: Path
) -> None:
    for command, directory in ((["/no/such/python", "main.py"], tmp_path), (["true"], tmp_path / "nowhere")):
        error = await failure(launcher, command, directory)
        assert type(error) is HostingError
        assert "this host could not start" in str(error)


@pytest.mark.host_fault("descriptors-used-up")
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="this system cannot limit another process")
async def test_too_few_descriptors_are_the_fault_of_the_host(
    launcher: LauncherClient, mark: str, tmp_path: Path
) -> None:
    pid = launcher_of(mark)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (9, 9))
    error = await failure(launcher, ["true"], tmp_path)
    assert type(error) is HostBusyError
    assert "Too many open files" in str(error)


async def test_a_process_works_in_a_scratch_directory_that_goes_with_it(
    launcher: LauncherClient, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch" / "1"
    program = (
        "import os; print(os.getcwd(), oct(os.stat('.').st_mode), os.listdir()); os.makedirs('a/b'); os.chmod('a', 0)"
    )
    command = [sys.executable, "-S", "-c", program]
    process = await launcher.start(StartRequest(command, "/", {"HOME": os.environ["HOME"]}, str(scratch)))
    await process.exited
    assert (await process.collect()).stdout == f"{scratch} 0o40700 []\n"
    assert not scratch.exists()


@pytest.mark.hostile("show-environment")
async def test_a_process_sees_only_the_environment_it_is_given(launcher: LauncherClient) -> None:
    process = await run(launcher, "import os; print(*sorted(os.environ))", ARENA_TOKEN="t")
    await process.exited
    assert (await process.collect()).stdout.split() == ["ARENA_TOKEN", "HOME", "LC_CTYPE", "PATH"]


async def test_stdin_is_empty_and_no_descriptor_is_inherited(launcher: LauncherClient) -> None:
    program = "import os, sys; print(repr(sys.stdin.read()), *sorted(os.listdir('/proc/self/fd')))"
    process = await run(launcher, program)
    await process.exited
    assert (await process.collect()).stdout.split()[:4] == ["''", "0", "1", "2"]
    assert len((await process.collect()).stdout.split()) == 5  # the directory that is read is open, too


async def test_a_process_leads_its_own_session(launcher: LauncherClient) -> None:
    process = await run(launcher, "import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())")
    await process.exited
    assert (await process.collect()).stdout == "True\n"


async def test_ending_asks_before_it_kills(launcher: LauncherClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.hosting.launcher.client.TERM_GRACE_S", PATIENCE_S)
    program = f"import signal, sys; signal.signal(15, lambda *_: sys.exit(5)); print('up', flush=True); {NAP}"
    process = await run(launcher, program)
    while not (await process.collect()).stdout:
        pass
    assert not await process.end()
    assert process.exited.result() == Exit(status=5, signal=0)


@pytest.mark.hostile("ignore-term")
async def test_what_ignores_term_is_killed(launcher: LauncherClient) -> None:
    program = f"import signal; signal.signal(15, signal.SIG_IGN); print('up', flush=True); {NAP}"
    process = await run(launcher, program)
    while not (await process.collect()).stdout:
        pass
    assert not await process.end()
    assert process.exited.result().signal == signal.SIGKILL


async def test_a_process_that_ends_by_itself_is_not_signalled(launcher: LauncherClient) -> None:
    process = await run(launcher, "pass")
    assert await process.end(grace_s=PATIENCE_S)


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


async def test_many_starts_and_ends_at_once(launcher: LauncherClient) -> None:
    processes = await asyncio.gather(*(run(launcher, f"raise SystemExit({status})") for status in range(20)))
    exits = await asyncio.gather(*(process.exited for process in processes))
    assert [ended.status for ended in exits] == list(range(20))


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
    monkeypatch.setattr("arena.hosting.launcher.silence.BEAT_S", 0.05)
    monkeypatch.setattr("arena.hosting.launcher.silence.SILENCE_S", 1.0)
    async with LauncherClient() as launcher:
        process = await run(launcher, NAP)
        os.kill(launcher.pid, signal.SIGSTOP)
        with pytest.raises(LauncherLostError):
            await process.wait(PATIENCE_S)
    wait_until(lambda: marked_processes(mark) == {})
