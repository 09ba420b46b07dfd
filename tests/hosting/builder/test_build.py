"""What build commands make, and what they cannot do: each is run for real."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.builds import BuildMissingError, Built
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.levels import BotProgram
from arena.hosting.sandbox.limits import SandboxLimits
from arena.hosting.sandbox.start import start_confined
from arena.hosting.store import StoreError
from arena.match.spec import program_seat
from arena.worker.host import MatchHost
from tests.support.builds import MAKE, PLAIN, Workshop, stop_clock_until
from tests.support.patience import PATIENCE_S
from tests.support.sandboxes import Place
from tests.support.sandboxes import place as open_place
from tests.support.specs import king_spec
from tests.support.venvs import NAME, add_package, make_venv, settings_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")

ROOT = Path(__file__).resolve().parents[3]
LONG = "/".join(letter * 250 for letter in "abcde")


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
