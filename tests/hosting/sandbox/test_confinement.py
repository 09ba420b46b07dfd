"""What a process can and cannot do and reach at each level, and that nothing of it is left. Tried by real ones."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import secrets
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.bot_environment import KIT_FILES, kit_places, system_settings
from arena.hosting.launcher.messages import OutputMark
from arena.hosting.launcher.own_ids import find_range
from arena.hosting.launcher.spawn import UIDS
from arena.hosting.procfs.processes import list_descendants, read_relations
from arena.service.addresses import parse_address
from arena.service.lifecycle.listeners import AdminListener
from arena.service.metrics import Metrics
from arena.service.task_supervision import Health
from tests.support.owners import running_server
from tests.support.patience import PATIENCE_S
from tests.support.sandboxes import BEHIND_A_DEAD_THREAD, NAP, REFUSED, TRY, Place, excess, up

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")
REACHED = "reached"


@pytest.mark.hostile("read-files")
async def test_files_outside_cannot_be_read(place: Place, sandbox: str) -> None:
    secret = place.directory / "arena.db"
    secret.write_text("secret", encoding="utf-8")
    other = place.directory / "bots" / "other"
    other.mkdir(parents=True)
    (other / "main.py").write_text("secret", encoding="utf-8")
    program = TRY + "print(*[attempt(lambda: open(path).read()) for path in sys.argv[1:]])"
    paths = [secret, other / "main.py", Path("/etc/passwd"), Path(__file__), Path("/proc/1/environ")]
    said = (await place.run(sandbox, program, *map(str, paths[:-1]))).split()
    assert set(said) <= REFUSED, said


@pytest.mark.hostile("read-bots-beside-the-samples")
async def test_of_what_lies_beside_the_kit_it_reads_nothing(place: Place, sandbox: str) -> None:
    program = (
        "import os, sys\n"
        "def can_read(path):\n"
        "    try: return bool(open(path).close() or 1)\n"
        "    except OSError: return False\n"
        "files = (os.path.join(at, name) for at, _, names in os.walk(sys.argv[1]) for name in names)\n"
        "found = [os.path.relpath(file, sys.argv[1]) for file in files if can_read(file)]\n"
        "print(*sorted(file for file in found if '__pycache__' not in file))"
    )
    (kit,) = kit_places()
    assert (kit / "greedy" / "main.py").exists()
    assert (await place.run(sandbox, program, str(kit))).split() == sorted(KIT_FILES)


@pytest.mark.hostile("other-sockets")
async def test_only_unix_sockets_can_be_made(place: Place, sandbox: str) -> None:
    program = TRY + "print(*[attempt(lambda: socket.socket(family)) for family in (2, 10, 16, 17)])"
    assert set((await place.run(sandbox, program)).split()) == {"EAFNOSUPPORT"}


async def test_the_referees_socket_is_reached(place: Place, sandbox: str) -> None:
    program = TRY + (
        "stream = socket.socket(socket.AF_UNIX)\n"
        "stream.connect(os.environ['ARENA_ADDRESS'].removeprefix('unix:'))\n"
        "print('connected')"
    )
    assert await place.run(sandbox, program) == "connected\n"
    place.listener.accept()[0].close()


async def test_of_the_settings_of_the_machine_those_of_debians_java_can_be_read(place: Place, sandbox: str) -> None:
    java = sorted(Path("/etc").glob("java-*-openjdk"))
    assert set(java) <= set(system_settings())
    program = f"import os\nfor path in {[str(path) for path in java]}:\n    print(sorted(os.listdir(path)))"
    assert await place.run(sandbox, program) == "".join(
        f"{sorted(one.name for one in path.iterdir())}\n" for path in java
    )


@pytest.mark.hostile("change-its-own-code")
async def test_its_code_is_read_only_and_its_work_directory_empty_and_its_own(place: Place, sandbox: str) -> None:
    program = TRY + (
        "print(os.listdir('.'), attempt(lambda: open(__file__, 'w')), attempt(lambda: open(__file__ + 'x', 'w')))\n"
        "open('note', 'w').write('x')\n"
        "print(os.listdir('.'), os.environ['TMPDIR'] == os.environ['HOME'] == os.getcwd())"
    )
    first, second = (await place.run(sandbox, program)).splitlines()
    assert first.split()[0] == "[]"
    assert set(first.split()[1:]) <= REFUSED
    assert second == "['note'] True"


@pytest.mark.hostile("forbidden-calls")
async def test_dangerous_calls_are_refused(place: Place, sandbox: str) -> None:
    program = TRY + (
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def call(name, *arguments):\n"
        "    if getattr(libc, name)(*arguments) == -1: raise OSError(ctypes.get_errno(), name)\n"
        "calls = [('ptrace', 0, 0, 0, 0), ('unshare', 0x10000000), ('setns', 0, 0), ('setpriority', 0, 0, 19),\n"
        "         ('mount', b'none', b'/tmp', b'tmpfs', 0, 0), ('process_vm_readv', os.getppid(), 0, 0, 0, 0, 0),\n"
        "         ('sched_setscheduler', 0, 5, b'\\0\\0\\0\\0'), ('chroot', b'/')]\n"
        "print(*[attempt(lambda: call(*one)) for one in calls], attempt(lambda: os.sched_setaffinity(0, {0})))"
    )
    said = (await place.run(sandbox, program)).split()
    assert set(said) == {"EPERM"}, said


@pytest.mark.hostile("calls-of-another-abi")
async def test_a_system_call_of_another_abi_ends_it(place: Place, sandbox: str) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("only x86_64 has a second ABI")
    process = await place.start(sandbox, "import ctypes; print(1); ctypes.CDLL(None).syscall(0x40000000 + 39)")
    assert await process.exited
    assert process.exited.result().signal == signal.SIGSYS


@pytest.mark.hostile("show-environment")
async def test_its_environment_has_nothing_of_ours(place: Place, sandbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "x")
    said = set((await place.run(sandbox, "import os; print(*os.environ)")).split())
    assert said <= {
        *("PATH", "HOME", "TMPDIR", "LANG", "PWD", "LC_CTYPE", "PYTHONPATH", "PYTHONUNBUFFERED"),
        *("ARENA_TOKEN", "ARENA_ADDRESS", "ARENA_BOT_DIR"),
    }


async def test_it_is_the_same_interpreter(place: Place, sandbox: str) -> None:
    said = await place.run(sandbox, "import sys, json; print(json.dumps([sys.version, sys.prefix]))")
    assert json.loads(said) == [sys.version, sys.base_prefix]  # started with -S, a virtual environment is not seen


@pytest.mark.hostile("read-processes")
async def test_it_sees_no_other_process_and_no_right(place: Place, standard: str) -> None:
    program = (
        "import os; print(sum(name.isdigit() for name in os.listdir('/proc')), os.getuid())\n"
        "print(*[line.split()[1] for line in open('/proc/self/status') if line[:6] in ('CapEff', 'CapPrm')])"
    )
    other = await place.start(standard, f"print(1); {NAP}")
    await up(other)
    first, second = (await place.run(standard, program)).splitlines()
    assert int(first.split()[0]) <= 3  # the sandbox itself and this program
    assert {int(right, 16) for right in second.split()} == {0}
    await other.end()


@pytest.mark.needs("own_ids")
async def test_every_process_has_a_user_of_its_own(place: Place, standard: str) -> None:
    processes = [await place.start(standard, f"import os; print(os.getuid(), os.getgid()); {NAP}") for _ in range(3)]
    for process in processes:
        await up(process)
    said = [(await process.collect()).stdout.split() for process in processes]
    assert all(user == group for user, group in said)
    assert len({user for user, _ in said}) == 3
    assert not {"0", str(os.geteuid())} & {user for user, _ in said}
    outside = [Path(f"/proc/{pid}").stat().st_uid for one in processes for pid in list_descendants(one.pid)[2:]]
    assert len({*outside}) == 3
    assert {*outside} <= {*(UIDS if os.geteuid() == 0 else find_range("/etc/subuid"))}
    for process in processes:
        await process.end()


@pytest.mark.skipif(os.geteuid() == 0, reason="root gives every process another user")
async def test_a_program_with_files_that_others_may_not_read_reads_them_as_the_user_who_starts_it(
    place: Place, standard: str
) -> None:
    program = "import os; print(os.getuid(), open('/bot/secret').read())"
    secret = place.directory / "bots" / "1" / "secret"
    secret.parent.mkdir(parents=True)
    secret.write_text("whole", encoding="utf-8")
    secret.chmod(0o600)
    assert await place.run(standard, program) == f"{os.geteuid()} whole\n"


@pytest.mark.host_fault("sandbox-fails")
async def test_a_sandbox_that_cannot_be_made_is_told_apart(place: Place, standard: str) -> None:
    (place.directory / "play").unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.hosting.sandbox.start_plan._open_socket", lambda _: None)
        process = await place.start(standard, "print(1)")
    assert await process.wait(PATIENCE_S)
    assert not process.has_begun
    assert "bwrap" in (await process.collect()).stderr


PROGRAM = (Path(__file__).parents[2] / "support" / "reaching.py").read_text(encoding="utf-8")


@asynccontextmanager
async def services() -> AsyncIterator[dict[str, Any]]:
    """The owners' services on a socket and over TCP, the admin listener, a socket without a file; where they are."""
    name = f"arena-{secrets.token_hex()}"
    admin = AdminListener(Metrics(), Health())
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory)) as server,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        abstract.bind("\0" + name)
        abstract.listen()
        at = await admin.start(parse_address("127.0.0.1:0"))
        assert server.addresses.address is not None
        owners = parse_address(server.addresses.address)
        try:
            yield {
                "sockets": [str(server.addresses.socket)],
                "addresses": [("127.0.0.1", owners.port), ("127.0.0.1", at.port)],
                "abstract": name,
                "process": os.getpid(),
            }
        finally:
            await admin.stop()


async def look_around(place: Place, level: str) -> tuple[dict[str, str], str]:
    """What a bot at that level reached of the services, and what came of its way to the referee."""
    async with services() as aims:
        found, referee = (await place.run(level, PROGRAM, json.dumps(aims))).splitlines()
    return json.loads(found), referee


@pytest.mark.hostile("connect")
async def test_a_bot_in_the_sandbox_reaches_the_referee_and_nothing_else(place: Place, standard: str) -> None:
    found, referee = await look_around(place, standard)
    assert referee == REACHED
    assert len(found) == 8
    assert REACHED not in found.values(), found


@pytest.mark.needs("minutes")
async def test_without_a_sandbox_the_same_program_reaches_everything(place: Place) -> None:
    found, referee = await look_around(place, "none")
    assert referee == REACHED
    assert found.pop("inherited") == "nothing to try"
    assert set(found.values()) == {REACHED}, found


async def test_status_and_signal_are_those_of_the_bot(place: Place, level: str) -> None:
    for program, expected in (("raise SystemExit(7)", (7, 0)), ("import os; os.abort()", (0, signal.SIGABRT))):
        process = await place.start(level, program)
        assert await process.wait(PATIENCE_S)
        assert (process.exited.result().status, process.exited.result().signal) == expected
        assert process.has_begun
        assert process.exceeded is None


async def test_a_bot_is_asked_before_it_is_killed(place: Place, level: str) -> None:
    program = f"import os, signal; signal.signal(15, lambda *_: os._exit(5)); print(1); {NAP}"
    process = await place.start(level, program)
    await up(process)
    process.signal(signal.SIGTERM)
    assert await process.wait(PATIENCE_S)
    assert process.exited.result().status == 5


@pytest.mark.hostile("leave-daemons")
async def test_nothing_of_a_family_is_left(place: Place, level: str) -> None:
    program = (
        "import contextlib, os, time\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        with contextlib.suppress(PermissionError): os.setsid()\n"
        "        if os.fork() == 0: time.sleep(3600)\n"
        "        os._exit(0)\n"
        f"print(1); {NAP}"
    )
    process = await place.start(level, program)
    await up(process)
    family = list_descendants(process.pid)
    process.signal(signal.SIGKILL)
    assert await process.wait(PATIENCE_S)
    left = [pid for pid in family if (relations := read_relations(pid)) and not relations.is_zombie]
    assert left == []


@pytest.mark.hostile("leave-a-daemon-behind-a-dead-thread")
async def test_a_daemon_whose_first_thread_has_ended_is_gone_with_it(place: Place) -> None:
    program = BEHIND_A_DEAD_THREAD + (
        "if os.fork() == 0:\n"
        "  os.setsid()\n"
        "  if os.fork() == 0: go_on(lambda: (print(1), time.sleep(3600)))\n"
        "  os._exit(0)\n"
        f"{NAP}"
    )
    process = await place.start("none", program)
    await up(process)
    family = list_descendants(process.pid)
    await process.end()
    left = [pid for pid in family if (relations := read_relations(pid)) and not relations.is_zombie]
    assert left == []


@pytest.mark.hostile("leave-files-nobody-may-remove")
async def test_its_files_are_gone_with_it(place: Place, level: str) -> None:
    await place.run(level, "import os; os.makedirs('a/b'); os.chmod('a', 0)")
    assert not (place.directory / "scratch" / "1").exists()


@pytest.mark.hostile("directories-deeper-than-any-path")
@pytest.mark.needs("minutes")
async def test_directories_deeper_than_any_path_harm_nobody_and_are_gone_with_it(place: Place, level: str) -> None:
    program = f"import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')\nprint(1); {NAP}"
    process = await place.start(level, program)
    if level == "standard":  # there they are its own affair
        await up(process)
        await process.end()
    else:
        assert (await excess(process))[0] == "disk"
    assert not (place.directory / "scratch" / "1").exists()


@pytest.mark.host_fault("launcher-killed")
async def test_a_killed_launcher_takes_its_sandboxes_with_it(place: Place, standard: str) -> None:
    process = await place.start(standard, f"print(1); {NAP}")
    await up(process)
    family = list_descendants(process.pid)
    launcher = read_relations(process.pid)
    assert launcher is not None
    os.kill(launcher.parent, signal.SIGKILL)
    async with asyncio.timeout(PATIENCE_S):
        while any((relations := read_relations(pid)) and not relations.is_zombie for pid in family):
            await asyncio.sleep(0.01)


async def test_the_log_of_a_match_is_what_lies_between_its_marks(place: Place) -> None:
    program = (
        "import sys, signal\n"
        "for line in ('before', 'within', 'after'):\n"
        "  print(line); print(line, file=sys.stderr, flush=True)\n"
        "  signal.sigwait({signal.SIGUSR1})\n"
    )
    program = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})\n" + program
    process = await place.start("none", program)
    await up(process)
    start = await process.mark()
    process.signal(signal.SIGUSR1)
    async with asyncio.timeout(PATIENCE_S):
        while (output := await process.collect(start)).stderr != "within\n" or not output.stdout:
            await asyncio.sleep(0.01)
    assert (output.stdout, output.stderr, output.dropped) == ("within\n", "within\n", 0)
    await process.end()
    assert (await process.collect()).stdout == "before\nwithin\n"
    assert start == OutputMark(len("before\n"), len("before\n"))
