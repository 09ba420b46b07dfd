"""The launcher: starts, signals and collects."""

import asyncio
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from arena.hosting.errors import HostBusyError, HostingError, LaunchError
from arena.hosting.launcher.client import LauncherClient
from arena.hosting.launcher.messages import STDIN, STDOUT, STREAM, Exit, StartRequest
from arena.hosting.launcher.server import PassedDescriptors
from tests.hosting.launcher.running import NAP, launcher_of, run
from tests.support.patience import PATIENCE_S


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


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def launcher() -> AsyncIterator[LauncherClient]:
    """One for all that do nothing to it."""
    async with LauncherClient() as launcher:
        yield launcher


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
@pytest.mark.parametrize("offered", [0, 2])
async def test_too_few_descriptors_are_the_fault_of_the_host(mark: str, tmp_path: Path, offered: int) -> None:
    async with LauncherClient() as launcher:
        most = 9 - offered // 2  # in the launcher, those that are sent take more than are left
        resource.prlimit(launcher_of(mark), resource.RLIMIT_NOFILE, (most, most))
        request = StartRequest(["true"], str(tmp_path), {}, descriptors=(STDIN, STDOUT)[:offered])
        with pytest.raises(HostingError) as caught:
            await launcher.start(request, (0, 1)[:offered])
    assert type(caught.value) is HostBusyError
    assert "Too many open files" in str(caught.value)


async def test_a_process_gets_what_is_sent_along_and_nothing_of_it_stays_with_the_launcher(
    launcher: LauncherClient,
) -> None:
    held = Path(f"/proc/{launcher.pid}/fd")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        before = sorted(one.name for one in held.iterdir())
        program = "import os, socket; socket.socket(fileno=int(os.environ['ARENA_STREAM_FD'])).sendall(b'here')"
        request = StartRequest([sys.executable, "-c", program], "/", dict(os.environ), descriptors=(STREAM,))
        process = await launcher.start(request, (theirs.fileno(),))
        theirs.close()
        await process.exited
        assert (ours.recv(9), ours.recv(9)) == (b"here", b""), "somebody else holds its end"
        assert sorted(one.name for one in held.iterdir()) == before


async def test_standard_streams_that_are_sent_along_are_not_collected(launcher: LauncherClient) -> None:
    bot_reads, writing = os.pipe()
    reading, bot_writes = os.pipe()
    program = "import sys; sys.stderr.write('log'); print(sys.stdin.readline(), end='')"
    request = StartRequest([sys.executable, "-S", "-c", program], "/", dict(os.environ), descriptors=(STDIN, STDOUT))
    process = await launcher.start(request, (bot_reads, bot_writes))
    for number in (bot_reads, bot_writes):
        os.close(number)
    with os.fdopen(writing, "wb", buffering=0) as to_it, os.fdopen(reading, "rb") as of_it:
        to_it.write(b"question\n")
        assert await asyncio.to_thread(of_it.read) == b"question\n"
    await process.exited
    output = await process.collect()
    assert (output.stdout, output.stderr) == ("", "log")


async def test_what_was_sent_for_a_start_that_was_given_up_is_closed_and_the_next_gets_its_own() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        taken = PassedDescriptors(theirs.detach())
        pairs = [socket.socketpair() for _ in range(2)]
        for key, (_, end) in enumerate(pairs, 7):
            socket.send_fds(ours, [key.to_bytes(8, "little")], [end.fileno()])
            end.close()
        (number,) = taken.take(8)
        with socket.socket(fileno=number) as end, pairs[0][0] as given_up, pairs[1][0] as its_own:
            end.sendall(b"mine")
            assert its_own.recv(9) == b"mine"
            assert given_up.recv(9) == b""
        taken._socket.close()


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
    program = f"import os, signal; signal.signal(15, lambda *_: os._exit(5)); print('up', flush=True); {NAP}"
    process = await run(launcher, program)
    while not (await process.collect()).stdout:
        pass
    assert not await process.end()
    assert process.exited.result() == Exit(status=5, signal=0)


@pytest.mark.hostile("fork-a-chain-of-mappings")
async def test_a_killed_process_that_takes_half_a_minute_to_end_is_no_fault_of_the_host(
    launcher: LauncherClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, waited_s = await run(launcher, NAP), 0.0

    async def wait(timeout_s: float) -> bool:
        nonlocal waited_s
        waited_s += timeout_s
        return waited_s > 30

    monkeypatch.setattr(process, "wait", wait)
    assert not await process.end()


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


async def test_many_starts_and_ends_at_once(launcher: LauncherClient) -> None:
    processes = await asyncio.gather(*(run(launcher, f"raise SystemExit({status})") for status in range(3)))
    exits = await asyncio.gather(*(process.exited for process in processes))
    assert [ended.status for ended in exits] == [0, 1, 2]
