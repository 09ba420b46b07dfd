"""A bot is built by its own build command: what becomes of it, what it cannot reach, and how its time is counted."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from arena.hosting.builder import build as builder
from arena.hosting.builder.build import LONGEST_FACTOR, BuildFailure, build_version
from arena.hosting.builds import BuildMissingError, Built
from arena.hosting.errors import OutOfMemoryError, SandboxUnavailableError
from arena.hosting.launcher.client import LauncherClient
from arena.hosting.procfs.meter import TreeMeter
from arena.hosting.procfs.processes import list_descendants
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import SandboxLimits
from arena.hosting.sandbox.start_plan import BotProgram, start_confined
from arena.hosting.store import StoreError
from arena.match.spec import program_seat
from arena.worker.match_host import MatchHost
from tests.support.builds import MAKE, PLAIN, Workshop, stop_clock_until
from tests.support.patience import PATIENCE_S
from tests.support.pythons import NAME, add_package, make_venv, settings_for
from tests.support.sandboxes import STANDARD, Place
from tests.support.sandboxes import place as open_place
from tests.support.specs import king_spec

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")

ROOT = Path(__file__).resolve().parents[2]
LONG = "/".join(letter * 250 for letter in "abcde")
LIMIT_S = 0.4


@pytest.fixture(params=[STANDARD, "none"])
def workshop(request: pytest.FixtureRequest, tmp_path: Path) -> Workshop:
    return Workshop(tmp_path, str(request.param))


@pytest.fixture(params=[STANDARD])
def sandboxed(request: pytest.FixtureRequest, tmp_path: Path) -> Workshop:
    return Workshop(tmp_path, str(request.param))


@pytest.fixture
def plain(tmp_path: Path) -> Workshop:
    """Without a sandbox, for what is the same in one."""
    return Workshop(tmp_path, "none")


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with open_place() as place:
        yield place


class TestWhatIsMade:
    async def test_a_built_version_has_the_files_and_the_log_that_were_made_and_its_program_starts_there(
        self, workshop: Workshop
    ) -> None:
        make = f"import sys; print('to stdout', flush=True); print('to stderr', file=sys.stderr)\n{MAKE}"
        version = workshop.add({"make.py": make, "data/table.txt": "1"})
        with pytest.raises(BuildMissingError, match=r"is not built for runtime 'arena' as it is now; `arena bot add /"):
            workshop.programs.find(version)
        built = await workshop.build_version(version)
        assert isinstance(built, Built)
        found = sorted(str(path.relative_to(built.directory)) for path in built.directory.rglob("*"))
        assert found == ["bot.toml", "data", "data/table.txt", "made.py", "main.py", "make.py"]
        assert not [path for path in built.directory.rglob("*") if path.is_file() and path.stat().st_mode & 0o222]
        assert built.hash != version
        assert workshop.record(built)["hash"] == built.hash
        log = workshop.programs.builds.log(built.version, built.runtime)
        assert log is not None
        assert set(log.split("\n")) == {"to stdout", "to stderr", ""}
        program = workshop.programs.find(version)
        assert program.directory == built.directory
        assert program.command == (sys.executable, str(built.directory / "main.py"))
        (built.directory / "made.py").chmod(0o644)
        (built.directory / "made.py").write_text("VALUE = 8", encoding="utf-8")
        with pytest.raises(StoreError, match="the built files were changed; remove that directory"):
            workshop.programs.find(built.version)

    async def test_a_build_finds_its_own_places_from_anywhere_also_in_a_store_that_is_named_from_here(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "here").mkdir()
        monkeypatch.chdir(tmp_path)
        make = "import os\nfor name in ('TMPDIR', 'PYTHONPATH', 'ARENA_BOT_DIR'): os.stat(os.environ[name])\n"
        built = await Workshop(Path("here"), "none").build(make + MAKE)
        assert isinstance(built, Built), built

    async def test_a_version_without_build_command_is_not_built(self, plain: Workshop) -> None:
        version = plain.add({}, 'command = ["python", "main.py"]')
        assert await plain.build_version(version) is None
        assert not plain.programs.builds.root.exists()

    async def test_it_is_built_once_however_many_ask_at_once(self, plain: Workshop) -> None:
        make = "import secrets; open('made.py', 'w').write(secrets.token_hex())"
        version = plain.add({"make.py": make})
        all_built = await asyncio.gather(*(plain.build_version(version) for _ in range(4)))
        assert len({built.hash for built in all_built if isinstance(built, Built)}) == 1
        assert await plain.build_version(version) == all_built[0]

    async def test_what_it_says_is_there_while_it_goes_on_and_what_it_said_before_is_not(self, plain: Workshop) -> None:
        version = plain.add({"make.py": "import time; print('half way', flush=True); time.sleep(3600)"})
        runtime = plain.programs.runtimes.get("arena").hash
        plain.programs.builds.root.mkdir()
        plain.programs.builds.write_log(version, runtime, "of an earlier try")
        building, seen = asyncio.create_task(plain.build_version(version)), set()
        async with asyncio.timeout(PATIENCE_S):
            while "half way\n" not in seen:
                await asyncio.sleep(0.05)
                seen.add(plain.programs.builds.log(version, runtime))
        building.cancel()
        await asyncio.wait({building})
        assert seen <= {"of an earlier try", "", "half way\n"}

    @pytest.mark.needs("minutes")
    async def test_a_long_log_keeps_its_beginning_and_its_end(self, workshop: Workshop) -> None:
        built = await workshop.build(f"print('first')\nfor i in range(40_000): print(i)\nprint('last')\n{MAKE}")
        assert isinstance(built, Built)
        log = workshop.programs.builds.log(built.version, built.runtime)
        assert log is not None
        assert log.startswith("first\n0\n")
        assert log.endswith("39999\nlast\n")
        assert "bytes left out]" in log
        assert len(log) < 200_000

    async def test_files_without_rights_are_made_readable(self, workshop: Workshop) -> None:
        make = (
            "import os\nos.mkdir('sub')\nopen('sub/made', 'w').write('x')\n"
            "os.chmod('sub/made', 0)\nos.chmod('sub', 0)\nos.chmod('.', 0o500)\nos.chmod('main.py', 0)\n"
        )
        built = await workshop.build(make)
        assert isinstance(built, Built), built
        assert (built.directory / "sub" / "made").read_text(encoding="utf-8") == "x"

    @pytest.mark.needs("minutes")
    async def test_another_runtime_needs_another_build(self, tmp_path: Path) -> None:
        workshop = Workshop(tmp_path, "none")
        settings = settings_for(make_venv(tmp_path / "venv", "fakenet==1"))
        make = "import fakenet; open('made.py', 'w').write(fakenet.VERSION)"
        version = workshop.add({"make.py": make}, f'{PLAIN}\nruntime = "{NAME}"')
        made = []
        for number in ("1", "2"):
            add_package(tmp_path / "venv", "fakenet", number)
            workshop.programs = replace(workshop.programs, runtimes=RuntimeCatalog(settings, tmp_path / "cache"))
            with pytest.raises(BuildMissingError):
                workshop.programs.find(version)
            built = await workshop.build_version(version)
            assert isinstance(built, Built), built
            made.append((built.directory / "made.py").read_text(encoding="utf-8"))
        assert made == ["1", "2"]
        assert workshop.programs.builds.remove(version) == 2
        assert list(workshop.programs.builds.root.iterdir()) == []

    @pytest.mark.needs("compiler")
    async def test_a_program_in_c_is_built_and_runs_in_the_sandbox(self, sandboxed: Workshop, place: Place) -> None:
        source = '#include <stdio.h>\nint main(void) { return puts("made of C") < 0; }\n'
        manifest = 'command = ["./bot"]\nruntime = "bundled"\nbuild = ["cc", "-o", "bot", "main.c"]'
        version = sandboxed.add({"main.c": source}, manifest)
        assert isinstance(await sandboxed.build_version(version), Built)
        found = sandboxed.programs.find(version)
        environment = {"HOME": "/", "PATH": "/usr/bin"}
        program = BotProgram(found.command, str(found.directory), environment, place.directory / "scratch" / "1")
        process = await start_confined(place.launcher, program, SandboxLimits("standard"))
        assert await process.wait(PATIENCE_S)
        assert (await process.collect()).stdout == "made of C\n"

    async def test_a_bot_plays_with_a_module_that_its_build_made(self, sandboxed: Workshop) -> None:
        main = (
            "from bots.kit import Bot, Decision, run\n"
            "from made import choose\n"
            "class Made(Bot):\n"
            "    def decide(self, decision):\n"
            "        return choose(decision.legal_actions)\n"
            "run(Made())\n"
        )
        make = "open('made.py', 'w').write('def choose(actions):\\n    return actions[0]\\n')"
        version = sandboxed.add({"main.py": main, "make.py": make})
        assert isinstance(await sandboxed.build_version(version), Built)
        found = sandboxed.programs.find(version)
        seats = [program_seat("b", "v", found, "standard", seat) for seat in range(3)]
        async with asyncio.timeout(PATIENCE_S), MatchHost() as host:
            report = await host.play(king_spec("m1", seats))
        assert (report.result.faults, report.result.by_rules) == ((), True)


class TestWhatFails:
    """Each is told to the author in a sentence, with the log."""

    async def test_an_error_of_the_command(self, workshop: Workshop) -> None:
        failure = await workshop.refusal("print('so far', flush=True)\nraise SystemExit(3)")
        assert failure.sentence == "The build command `python make.py` failed (exit status 3); its log tells why."
        assert failure.log == "so far\n"

    async def test_a_command_that_makes_nothing(self, plain: Workshop) -> None:
        failure = await plain.refusal("pass")
        assert "ended, but: it made no new file and changed none; let it write" in failure.sentence

    async def test_a_command_that_does_not_exist(self, plain: Workshop) -> None:
        version = plain.add({}, 'command = ["./bot"]\nbuild = ["no-such-tool"]')
        failure = await plain.build_version(version)
        assert isinstance(failure, BuildFailure)
        assert failure.sentence.startswith("bot.toml: the program 'no-such-tool' is neither in the directory nor")

    async def test_a_script_that_does_not_exist(self, plain: Workshop) -> None:
        version = plain.add({}, 'command = ["./bot"]\nbuild = ["python", "nowhere.py"]')
        failure = await plain.build_version(version)
        assert isinstance(failure, BuildFailure)
        assert failure.sentence == "bot.toml: build runs 'nowhere.py', and there is no such file in the directory"

    async def test_a_build_that_leaves_no_program(self, plain: Workshop) -> None:
        version = plain.add({"make.py": MAKE}, 'command = ["./bot"]\nbuild = ["python", "make.py"]')
        failure = await plain.build_version(version)
        assert isinstance(failure, BuildFailure)
        assert "ended, but: bot.toml: the program './bot' is neither in the directory nor" in failure.sentence

    async def test_it_is_tried_again_after_a_failure(self, plain: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
        version = plain.add({"make.py": f"import os; assert os.environ['LANG'] != 'broken'\n{MAKE}"})
        monkeypatch.setenv("LANG", "broken")
        assert isinstance(await plain.build_version(version), BuildFailure)
        monkeypatch.setenv("LANG", "C")
        assert isinstance(await plain.build_version(version), Built)

    @pytest.mark.hostile(
        "build-that-makes-links",
        "build-that-makes-pipes",
        "build-that-makes-a-sparse-giant",
        "build-that-makes-directories-1500-deep",
    )
    @pytest.mark.parametrize(
        ("make", "complaint"),
        [
            ("import os; os.symlink('/etc/passwd', 'link')", "link: is a link that leaves the bot's directory"),
            ("import os; os.mkfifo('pipe')", "pipe: is neither a file nor a directory; remove it"),
            ("for name in 'ab': open(name, 'w').truncate(300 << 20)", "holds over 512 MiB"),
            pytest.param(
                "import os\nfor _ in range(1500): os.mkdir('d'); os.chdir('d')",
                "too deep|cannot be read",
                marks=pytest.mark.needs("minutes"),
            ),
            (f"import os; os.makedirs('{LONG}'); open('{LONG}/x', 'w')", "is a path of over 1024 bytes"),
        ],
        ids=["link outside", "pipe", "sparse", "deep", "long"],
    )
    async def test_files_that_cannot_be_stored(self, plain: Workshop, make: str, complaint: str) -> None:
        failure = await plain.refusal(make)
        assert any(part in failure.sentence for part in complaint.split("|")), failure


class TestLimits:
    @pytest.mark.hostile("build-that-never-ends")
    async def test_one_that_never_ends(self, workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
        make = "import time\nprint('begun', flush=True)\ntime.sleep(3600)"
        version = workshop.add({"make.py": make})
        stop_clock_until(lambda: "begun" in workshop.log(version), monkeypatch)
        failure = await workshop.refusal(make, time_s=0.1)
        assert failure.sentence.startswith("The build command `python make.py` did not end within 0.1 s, or ")
        assert failure.log == "begun\n"

    @pytest.mark.hostile("build-that-floods-its-output")
    async def test_one_that_prints_forever(self, workshop: Workshop) -> None:
        failure = await workshop.refusal("while True: print('x' * 1000)", output_mb=2)
        assert "was ended. It wrote " in failure.sentence
        assert "to stdout and stderr, too much at once; 2 MiB are allowed." in failure.sentence

    @pytest.mark.hostile("build-that-takes-all-memory")
    @pytest.mark.needs("minutes")
    async def test_one_that_takes_all_memory(self, workshop: Workshop) -> None:
        failure = await workshop.refusal("x = bytearray(150 << 20)\nimport time; time.sleep(60)", memory_mb=100)
        assert "of memory; 100 MiB are allowed." in failure.sentence

    @pytest.mark.hostile("build-that-fills-the-disk")
    @pytest.mark.needs("minutes")
    async def test_one_that_fills_the_disk(self, workshop: Workshop) -> None:
        make = "for i in range(10**6):\n    open(f'f{i}', 'wb').write(bytes(1 << 20))\n"
        failure = await workshop.refusal(make, disk_mb=8)
        assert "8 MiB are allowed." in failure.sentence

    @pytest.mark.hostile("build-that-makes-one-huge-file")
    @pytest.mark.needs("minutes")
    async def test_one_that_makes_one_huge_file(self, workshop: Workshop) -> None:
        make = (
            "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
            "file = open('f', 'wb')\n"
            "while True: file.write(bytes(1 << 20))\n"
        )
        failure = await workshop.refusal(make, disk_mb=8)
        assert "8 MiB are allowed." in failure.sentence or "made a file larger" in failure.sentence

    @pytest.mark.hostile("build-that-makes-countless-files")
    @pytest.mark.needs("minutes")
    async def test_one_that_makes_countless_files(self, workshop: Workshop) -> None:
        make = "import time\nfor i in range(600): open(f'f{i}', 'w')\ntime.sleep(60)\n"
        failure = await workshop.refusal(make, files=200)
        assert "files in its private directories; 200 are allowed." in failure.sentence

    @pytest.mark.hostile("build-that-forks-without-end")
    async def test_a_fork_bomb(self, sandboxed: Workshop) -> None:
        make = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n"
        failure = await sandboxed.refusal(make, processes=32)
        assert "processes and threads; 32 are allowed." in failure.sentence

    @pytest.mark.hostile("build-that-leaves-daemons")
    async def test_nothing_that_it_started_is_left(self, workshop: Workshop) -> None:
        marker = f"{os.getpid()}.5"
        start = f"subprocess.Popen(['sleep', '{marker}'], "
        away = f"try: {start}start_new_session=True)\nexcept PermissionError: {start}process_group=0)\n"
        make = f"import subprocess\n{away}{MAKE}"
        assert isinstance(await workshop.build(make), Built)
        assert marker.encode() not in b"".join(_command_lines())


def _command_lines() -> list[bytes]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes())
        except OSError:
            continue  # it has ended
    return found


class TestConfinement:
    @pytest.mark.hostile("build-that-connects")
    async def test_there_is_no_network(self, sandboxed: Workshop) -> None:
        failure = await sandboxed.refusal("import socket; socket.create_connection(('127.0.0.1', 1))")
        assert "failed (exit status 1)" in failure.sentence
        assert "Address family not supported" in failure.log

    @pytest.mark.hostile("build-that-reads-and-writes-outside")
    async def test_nothing_outside_can_be_written_or_read(self, sandboxed: Workshop, tmp_path: Path) -> None:
        secret = tmp_path / "home" / "arena.db"
        secret.parent.mkdir()
        secret.write_text("secret", encoding="utf-8")
        places = [secret, secret.parent / "new", Path("/usr/new"), Path("/etc/new"), Path(sys.prefix) / "new"]
        make = (
            "for path in " + repr(list(map(str, places))) + ":\n"
            "    for mode in 'wr':\n"
            "        try:\n"
            "            open(path, mode).read(1); print('got', path)\n"
            "        except OSError as error: print(error.strerror)\n"
            f"{MAKE}"
        )
        built = await sandboxed.build(make)
        assert isinstance(built, Built), built
        log = sandboxed.programs.builds.log(built.version, built.runtime)
        assert log is not None
        assert "got" not in log
        assert secret.read_text(encoding="utf-8") == "secret"
        assert not [path for path in places[1:] if path.exists()]

    @pytest.mark.host_fault("no-sandbox")
    async def test_a_stranger_builds_in_the_sandbox_or_not_at_all(self, tmp_path: Path) -> None:
        workshop = Workshop(tmp_path, "none")
        version = workshop.add({"make.py": MAKE})
        with pytest.raises(SandboxUnavailableError, match="bots that have an owner run only in a sandbox"):
            await build_version(workshop.programs, version, has_owner=True)
        assert workshop.programs.builds.log(version, workshop.programs.runtimes.get("arena").hash) is None


class TestKilled:
    """What is left of a build when the process that runs it is killed."""

    @pytest.mark.host_fault("killed-while-a-bot-is-built")
    async def test_it_goes_on_after_a_kill_and_leaves_nothing_behind(
        self, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make = f"import time\nprint('begun', flush=True)\ntime.sleep(3600)\n{MAKE}"
        version = workshop.add({"make.py": make})
        root = workshop.programs.builds.root
        program = (
            "import asyncio, sys\n"
            "from pathlib import Path\n"
            "from tests.support.builds import Workshop\n"
            "workshop = Workshop(Path(sys.argv[1]), sys.argv[2])\n"
            "asyncio.run(workshop.build_version(sys.argv[3]))\n"
        )
        words = [sys.executable, "-c", program, str(workshop.directory), workshop.level, version]
        child = await asyncio.create_subprocess_exec(*words, cwd=ROOT)
        async with asyncio.timeout(PATIENCE_S):
            while not (running := _builds_of(child.pid, root)):
                await asyncio.sleep(0.02)
        child.kill()
        await child.wait()
        async with asyncio.timeout(PATIENCE_S):
            while any(Path(f"/proc/{pid}").exists() for pid in running) or list(root.glob(".adding-*")):
                await asyncio.sleep(0.02)
        assert workshop.programs.builds.get(version, workshop.programs.runtimes.get("arena").hash) is None
        stop_clock_until(lambda: "begun" in workshop.log(version), monkeypatch)
        failure = await workshop.build_version(version, time_s=0.1)
        assert isinstance(failure, BuildFailure)
        assert failure.log == "begun\n"

    async def test_what_a_kill_left_half_made_is_swept(self, workshop: Workshop) -> None:
        left = workshop.programs.builds.root / ".adding-left"
        (left / "files").mkdir(parents=True)
        assert isinstance(await workshop.build(MAKE), Built)
        assert not left.exists()


def _builds_of(parent: int, root: Path) -> list[int]:
    """The build commands below a process, for others build at the same time; in a sandbox their directory is /bot."""
    found = []
    for pid in list_descendants(parent):
        path = Path(f"/proc/{pid}")
        try:
            place = path.joinpath("cwd").readlink()
            is_build = b"make.py" in path.joinpath("cmdline").read_bytes()
        except OSError:
            continue  # it has ended
        if is_build and (place.is_relative_to(root) or place == Path("/bot")):
            found.append(pid)
    return found


class Build:
    """A build that ends after so many seconds, by a clock that goes on only while it is waited for, and its meter."""

    def __init__(self, ends_s: float, waited_s: Callable[[float], float | None]) -> None:
        self.now_s, self._ends_s, self._waited_s = 100.0, 100.0 + ends_s, waited_s

    async def wait(self, timeout_s: float) -> bool:
        self.now_s = min(self.now_s + max(timeout_s, 0.001), self._ends_s)
        return self.now_s == self._ends_s

    def look(self) -> tuple[int, int] | None:
        waited_s = self._waited_s(self.now_s - 100.0)
        return None if waited_s is None else (0, round(waited_s * 1e6))


@pytest.mark.host_fault("processor-busy-while-a-bot-is-built")
@pytest.mark.parametrize(
    ("waited_s", "lasts_s"),
    [
        pytest.param(lambda _: 0.0, LIMIT_S, id="never"),
        pytest.param(lambda _: None, LIMIT_S, id="nobody can tell"),
        pytest.param(lambda took_s: 0.2 if took_s < 0.3 else None, LIMIT_S + 0.2, id="told once"),
        pytest.param(lambda took_s: 0.75 * took_s, 4 * LIMIT_S, id="mostly"),
        pytest.param(lambda took_s: took_s, LONGEST_FACTOR * LIMIT_S, id="always"),
    ],
)
async def test_the_time_in_which_it_waits_for_a_processor_does_not_count(
    waited_s: Callable[[float], float | None], lasts_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ends_s, has_ended in ((lasts_s - 0.01, True), (lasts_s + 0.01, False)):
        build = Build(ends_s, waited_s)
        with monkeypatch.context() as patch:
            patch.setattr(time, "monotonic", lambda build=build: build.now_s)
            assert await builder._wait(cast(Any, build), cast(Any, build), LIMIT_S) is has_ended


@pytest.mark.host_fault("host-out-of-memory")
async def test_one_that_the_host_killed_for_want_of_memory_has_not_failed(
    plain: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_end = LauncherClient._on_exited
    monkeypatch.setattr(
        LauncherClient, "_on_exited", lambda client, event: note_end(client, {**event, "killed_by_host": True})
    )
    with pytest.raises(OutOfMemoryError):
        await plain.build("import os; os.kill(os.getpid(), 9)")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a process waits")
async def test_one_that_waits_for_a_processor_for_ever_is_ended_at_last(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TreeMeter, "look", lambda _meter: (0, 3600 * 1_000_000))
    failure = await workshop.refusal("import time; time.sleep(3600)", time_s=0.3)
    assert failure.sentence == (
        "The build command `python make.py` did not end within 0.3 s, or 5 times that on a busy machine."
    )
