"""What a process can and cannot do at each level, tried by real ones."""

import json
import os
import platform
import signal
import sys
from pathlib import Path

import pytest

from arena.hosting.bot_environment import KIT_FILES, kit_places
from arena.hosting.launcher.spawn import FIRST_UID, UIDS
from tests.hosting.sandbox.tried import NAP, REFUSED, TRY, up
from tests.support.patience import PATIENCE_S
from tests.support.sandboxes import Place

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")


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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives users away")
async def test_as_root_every_process_has_a_user_of_its_own(place: Place, standard: str) -> None:
    processes = [await place.start(standard, f"import os; print(os.getuid(), os.getgid()); {NAP}") for _ in range(3)]
    for process in processes:
        await up(process)
    said = [(await process.collect()).stdout.split() for process in processes]
    assert all(user == group for user, group in said)
    assert len({user for user, _ in said}) == 3
    assert all(int(user) in range(FIRST_UID, FIRST_UID + UIDS) for user, _ in said)
    for process in processes:
        await process.end()


@pytest.mark.host_fault("sandbox-fails")
async def test_a_sandbox_that_cannot_be_made_is_told_apart(place: Place, standard: str) -> None:
    (place.directory / "play").unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.hosting.sandbox.start._open_socket", lambda _: None)
        process = await place.start(standard, "print(1)")
    assert await process.wait(PATIENCE_S)
    assert not process.has_begun
    assert "bwrap" in (await process.collect()).stderr
