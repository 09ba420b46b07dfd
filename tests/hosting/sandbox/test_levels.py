"""What a process can and cannot do at each level, tried by real ones; what is done about those that use too much."""

import asyncio
import json
import os
import platform
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from arena.hosting.launcher.client import HostedProcess
from arena.hosting.launcher.reports import Mark
from arena.hosting.launcher.uids import FIRST_UID, UIDS
from arena.hosting.proc.processes import list_descendants, read_relations
from arena.hosting.visible_paths import KIT_FILES, kit_places
from tests.support.patience import PATIENCE_S
from tests.support.sandboxes import Place, need
from tests.support.sandboxes import place as open_place

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")

NAP = "import time; time.sleep(3600)"
TRY = """
import ctypes, errno, os, socket, sys
def attempt(action):
    try:
        return str(action())
    except OSError as error:
        return errno.errorcode[error.errno]
"""
REFUSED = {"EPERM", "EACCES", "ENOENT", "EROFS", "ENOSYS", "EAFNOSUPPORT"}

# What is given to it goes on in another thread, while the first of the process ends: its files in /proc are empty then.
BEHIND_A_DEAD_THREAD = """
import ctypes, os, platform, threading, time
def go_on(work):
    threading.Thread(target=work).start()
    ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
"""


@pytest.fixture(params=["standard", "reduced", "none"])
def level(request: pytest.FixtureRequest) -> str:
    return need(str(request.param))


@pytest.fixture(params=["standard", "reduced"])
def sandbox(request: pytest.FixtureRequest) -> str:
    return need(str(request.param))


@pytest.fixture
def standard() -> str:
    return need("standard")


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with open_place() as place:
        yield place


async def up(process: HostedProcess) -> None:
    """Wait until it has printed a whole line."""
    async with asyncio.timeout(PATIENCE_S):
        while "\n" not in (await process.collect()).stdout:
            assert not process.exited.done(), await process.collect()
            await asyncio.sleep(0.01)


async def excess(process: HostedProcess) -> tuple[str, str]:
    """For what a process was ended."""
    assert await process.wait(PATIENCE_S), "nobody ended it"
    assert process.exceeded is not None, await process.collect()
    return process.exceeded.what, process.exceeded.sentence


class TestConfinement:
    @pytest.mark.hostile("read-files")
    async def test_files_outside_cannot_be_read(self, place: Place, sandbox: str) -> None:
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
    async def test_of_what_lies_beside_the_kit_it_reads_nothing(self, place: Place, sandbox: str) -> None:
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
    async def test_only_unix_sockets_can_be_made(self, place: Place, sandbox: str) -> None:
        program = TRY + "print(*[attempt(lambda: socket.socket(family)) for family in (2, 10, 16, 17)])"
        assert set((await place.run(sandbox, program)).split()) == {"EAFNOSUPPORT"}

    async def test_the_referees_socket_is_reached(self, place: Place, sandbox: str) -> None:
        program = TRY + (
            "stream = socket.socket(socket.AF_UNIX)\n"
            "stream.connect(os.environ['ARENA_ADDRESS'].removeprefix('unix:'))\n"
            "print('connected')"
        )
        assert await place.run(sandbox, program) == "connected\n"
        place.listener.accept()[0].close()

    @pytest.mark.hostile("change-its-own-code")
    async def test_its_code_is_read_only_and_its_work_directory_empty_and_its_own(
        self, place: Place, sandbox: str
    ) -> None:
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
    async def test_dangerous_calls_are_refused(self, place: Place, sandbox: str) -> None:
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
    async def test_a_system_call_of_another_abi_ends_it(self, place: Place, sandbox: str) -> None:
        if platform.machine() != "x86_64":
            pytest.skip("only x86_64 has a second ABI")
        process = await place.start(sandbox, "import ctypes; print(1); ctypes.CDLL(None).syscall(0x40000000 + 39)")
        assert await process.exited
        assert process.exited.result().signal == signal.SIGSYS

    @pytest.mark.hostile("show-environment")
    async def test_its_environment_has_nothing_of_ours(
        self, place: Place, sandbox: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SECRET_KEY", "x")
        said = set((await place.run(sandbox, "import os; print(*os.environ)")).split())
        assert said <= {
            *("PATH", "HOME", "TMPDIR", "LANG", "PWD", "LC_CTYPE", "PYTHONPATH", "PYTHONUNBUFFERED"),
            *("ARENA_TOKEN", "ARENA_ADDRESS", "ARENA_BOT_DIR"),
        }

    async def test_it_is_the_same_interpreter(self, place: Place, sandbox: str) -> None:
        said = await place.run(sandbox, "import sys, json; print(json.dumps([sys.version, sys.prefix]))")
        assert json.loads(said) == [sys.version, sys.base_prefix]  # started with -S, a virtual environment is not seen

    @pytest.mark.hostile("read-processes")
    async def test_it_sees_no_other_process_and_no_right(self, place: Place, standard: str) -> None:
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

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives users away")
    async def test_as_root_every_process_has_a_user_of_its_own(self, place: Place, standard: str) -> None:
        processes = [
            await place.start(standard, f"import os; print(os.getuid(), os.getgid()); {NAP}") for _ in range(3)
        ]
        for process in processes:
            await up(process)
        said = [(await process.collect()).stdout.split() for process in processes]
        assert all(user == group for user, group in said)
        assert len({user for user, _ in said}) == 3
        assert all(int(user) in range(FIRST_UID, FIRST_UID + UIDS) for user, _ in said)
        for process in processes:
            await process.end()

    @pytest.mark.host_fault("sandbox-fails")
    async def test_a_sandbox_that_cannot_be_made_is_told_apart(self, place: Place, standard: str) -> None:
        (place.directory / "play").unlink()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("arena.hosting.sandbox.start._open_socket", lambda _: None)
            process = await place.start(standard, "print(1)")
        assert await process.wait(PATIENCE_S)
        assert not process.has_begun
        assert "bwrap" in (await process.collect()).stderr


class TestEnds:
    async def test_status_and_signal_are_those_of_the_bot(self, place: Place, level: str) -> None:
        for program, expected in (("raise SystemExit(7)", (7, 0)), ("import os; os.abort()", (0, signal.SIGABRT))):
            process = await place.start(level, program)
            assert await process.wait(PATIENCE_S)
            assert (process.exited.result().status, process.exited.result().signal) == expected
            assert process.has_begun
            assert process.exceeded is None

    async def test_a_bot_is_asked_before_it_is_killed(self, place: Place, level: str) -> None:
        program = f"import signal, sys; signal.signal(15, lambda *_: sys.exit(5)); print(1); {NAP}"
        process = await place.start(level, program)
        await up(process)
        process.signal(signal.SIGTERM)
        assert await process.wait(PATIENCE_S)
        assert process.exited.result().status == 5

    @pytest.mark.hostile("leave-daemons")
    async def test_nothing_of_a_family_is_left(self, place: Place, level: str) -> None:
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
    async def test_a_daemon_whose_first_thread_has_ended_is_gone_with_it(self, place: Place) -> None:
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
    async def test_its_files_are_gone_with_it(self, place: Place, level: str) -> None:
        await place.run(level, "import os; os.makedirs('a/b'); os.chmod('a', 0)")
        assert not (place.directory / "scratch" / "1").exists()

    @pytest.mark.hostile("directories-deeper-than-any-path")
    async def test_directories_deeper_than_any_path_harm_nobody_and_are_gone_with_it(
        self, place: Place, level: str
    ) -> None:
        program = f"import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')\nprint(1); {NAP}"
        process = await place.start(level, program)
        if level == "standard":  # there they are its own affair
            await up(process)
            await process.end()
        else:
            assert (await excess(process))[0] == "disk"
        assert not (place.directory / "scratch" / "1").exists()

    @pytest.mark.host_fault("launcher-killed")
    async def test_a_killed_launcher_takes_its_sandboxes_with_it(self, place: Place, standard: str) -> None:
        process = await place.start(standard, f"print(1); {NAP}")
        await up(process)
        family = list_descendants(process.pid)
        launcher = read_relations(process.pid)
        assert launcher is not None
        os.kill(launcher.parent, signal.SIGKILL)
        async with asyncio.timeout(PATIENCE_S):
            while any((relations := read_relations(pid)) and not relations.is_zombie for pid in family):
                await asyncio.sleep(0.01)


class TestLimits:
    @pytest.mark.hostile("bomb-with-memory")
    async def test_too_much_memory_ends_it(self, place: Place, level: str) -> None:
        process = await place.start(level, f"x = b'x' * (300 << 20); {NAP}", memory_mb=100)
        what, sentence = await excess(process)
        assert what == "memory"
        assert sentence.endswith("MiB of memory; 100 MiB are allowed.")

    @pytest.mark.hostile("memory-in-many-processes")
    async def test_the_memory_of_a_whole_family_counts(self, place: Place, level: str) -> None:
        program = f"import os; [os.fork() for _ in range(3)]; x = b'x' * (40 << 20); {NAP}"
        assert (await excess(await place.start(level, program, memory_mb=200)))[0] == "memory"

    @pytest.mark.hostile("hold-memory-behind-a-dead-thread")
    async def test_memory_counts_after_the_end_of_the_first_thread(self, place: Place, level: str) -> None:
        program = BEHIND_A_DEAD_THREAD + "def hold():\n  x = b'x' * (300 << 20); time.sleep(3600)\ngo_on(hold)"
        assert (await excess(await place.start(level, program, memory_mb=100)))[0] == "memory"

    async def test_shared_memory_counts_once(self, place: Place, level: str) -> None:
        program = "import os, time; x = b'x' * (60 << 20); [os.fork() for _ in range(3)]; time.sleep(1); print(1)"
        process = await place.start(level, program, memory_mb=200)
        assert await process.wait(PATIENCE_S)
        assert process.exceeded is None

    @pytest.mark.hostile("bomb-with-forks")
    async def test_too_many_processes_end_it(self, place: Place, level: str) -> None:
        program = f"import os\nfor _ in range(40):\n  if os.fork() == 0: break\n{NAP}"
        what, sentence = await excess(await place.start(level, program, processes=20))
        assert what == "processes"
        assert sentence.endswith("processes and threads; 20 are allowed.")

    @pytest.mark.hostile("bomb-with-threads")
    async def test_threads_count_as_processes(self, place: Place, level: str) -> None:
        program = (
            "import threading, time\nfor _ in range(40): threading.Thread(target=time.sleep, args=(3600,)).start()"
        )
        assert (await excess(await place.start(level, program, processes=20)))[0] == "processes"

    @pytest.mark.hostile("fork-storm")
    async def test_a_fork_bomb_is_ended(self, place: Place, standard: str) -> None:
        program = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
        assert (await excess(await place.start(standard, program)))[0] == "processes"

    @pytest.mark.hostile("fill-the-disk")
    async def test_a_full_disk_ends_it(self, place: Place, level: str) -> None:
        program = (
            "import time\nfor number in range(20):\n"
            "  try: open(str(number), 'wb').write(b'x' * (1 << 20))\n  except OSError: pass\n" + NAP
        )
        what, sentence = await excess(await place.start(level, program, disk_mb=8))
        assert what == "disk"
        assert sentence.endswith("MiB into its private directories; 8 MiB are allowed.")

    @pytest.mark.hostile("countless-files")
    async def test_too_many_files_end_it(self, place: Place, level: str) -> None:
        program = f"for number in range(2000): open(str(number), 'w').close()\n{NAP}"
        what, sentence = await excess(await place.start(level, program, files=1000))
        assert what == "disk"
        assert sentence.endswith("files in its private directories; 1000 are allowed.")

    @pytest.mark.hostile("flood-output")
    async def test_a_flood_of_output_ends_it(self, place: Place, level: str) -> None:
        what, sentence = await excess(await place.start(level, "while True: print('x' * 100_000)", output_mb=2))
        assert what == "output"
        assert "to stdout and stderr, too much at once; 2 MiB are allowed." in sentence

    @pytest.mark.hostile("compute-without-end")
    async def test_processor_time_is_limited(self, place: Place, sandbox: str) -> None:
        assert (await excess(await place.start(sandbox, "while True: pass", cpu_s=1)))[0] == "cpu"

    @pytest.mark.hostile("open-many-files")
    async def test_open_files_are_limited(self, place: Place, sandbox: str) -> None:
        program = TRY + "files = []\nprint(attempt(lambda: [files.append(open('/dev/null')) for _ in range(100_000)]))"
        assert await place.run(sandbox, program) == "EMFILE\n"

    @pytest.mark.hostile("open-many-files-in-many-processes")
    async def test_the_open_files_and_connections_of_a_whole_family_are_limited(
        self, place: Place, sandbox: str
    ) -> None:
        program = (
            "import os, socket\nfor _ in range(3):\n  if os.fork() == 0: break\n"
            f"files = [socket.socket(socket.AF_UNIX) for _ in range(200)]\n{NAP}"
        )
        what, sentence = await excess(await place.start(sandbox, program))
        assert what == "descriptors"
        assert sentence.endswith("files and connections open; 512 are allowed.")

    @pytest.mark.hostile("hold-files-behind-a-dead-thread")
    async def test_open_files_count_after_the_end_of_the_first_thread(self, place: Place, sandbox: str) -> None:
        program = BEHIND_A_DEAD_THREAD + (
            "def hold():\n  files = [os.open('/dev/null', 0) for _ in range(200)]; time.sleep(3600)\n"
            "for _ in range(3):\n  if os.fork() == 0: break\n"
            "go_on(hold)"
        )
        assert (await excess(await place.start(sandbox, program)))[0] == "descriptors"

    @pytest.mark.hostile("program-that-nobody-may-read")
    async def test_a_program_that_nobody_may_read_hides_neither_files_nor_messages(
        self, place: Place, sandbox: str
    ) -> None:
        program = (
            "import os, shutil, sys\n"
            "shutil.copy(os.path.realpath(sys.executable), 'unread'); os.chmod('unread', 0o111)\n"
            "hold = 'import socket, sys, time; ends = [socket.socketpair() for _ in range(int(sys.argv[1]))]; '\n"
            "os.environ['PYTHONHOME'] = sys.base_prefix\n"
            "for _ in range(int(sys.argv[2])):\n  if os.fork() == 0: break\n"
            "os.execl('unread', 'python', '-S', '-c', hold + 'time.sleep(3600)', sys.argv[1])"
        )
        assert (await excess(await place.start(sandbox, program, "100", "2")))[0] == "descriptors"
        assert (await excess(await place.start(sandbox, program, "120", "0", memory_mb=32)))[0] == "memory"

    async def test_an_ordinary_bot_is_left_alone(self, place: Place, level: str) -> None:
        program = "import time; x = b'x' * (50 << 20); open('f', 'wb').write(b'x' * 100); time.sleep(1); print(1)"
        process = await place.start(level, program)
        assert await process.wait(PATIENCE_S)
        assert process.exceeded is None
        assert (await process.collect()).stdout == "1\n"


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
    assert start == Mark(len("before\n"), len("before\n"))
