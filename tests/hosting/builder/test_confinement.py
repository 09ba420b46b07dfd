"""What build commands cannot reach, and what is left of one when the process that runs it is killed."""

import asyncio
import sys
from pathlib import Path

import pytest

from arena.hosting.builder.build import build_version
from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.builds import Built
from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.procfs.processes import list_descendants
from tests.support.builds import MAKE, Workshop, stop_clock_until
from tests.support.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")

ROOT = Path(__file__).resolve().parents[3]


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
