"""Bots that are built before they play."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.builder.build import BuildFailure, BuildLimits, build_version
from arena.hosting.builds import Built
from arena.hosting.procfs.meter import TreeMeter
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from tests.support.patience import PATIENCE_S

PLAIN = 'command = ["python", "main.py"]\nbuild = ["python", "make.py"]'
MAKE = "open('made.py', 'w').write('VALUE = 7\\n')\n"


def stop_clock_until(is_so: Callable[[], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the clock of builds stand until something is so, however long a busy machine takes for that."""
    monkeypatch.setattr("arena.hosting.builder.build.LONGEST_FACTOR", 10 * PATIENCE_S)
    monkeypatch.setattr(TreeMeter, "look", lambda _meter: (0, 0 if is_so() else int(PATIENCE_S * 1_000_000)))


class Workshop:
    """A store in which bots are built, beside a place that their builds must not reach."""

    def __init__(self, directory: Path, level: str = "standard") -> None:
        self.directory, self.level = directory, level
        store = VersionStore(directory / "home" / "arena.bots")
        self.programs = StoredPrograms(store, SandboxPolicy(level), RuntimeCatalog(cache=directory / "cache"))

    def add(self, files: dict[str, str], manifest: str = PLAIN) -> str:
        """The version with these files."""
        bot = self.directory / "source"
        bot.mkdir(exist_ok=True)
        text = f'schema = 1\nname = "b"\n{manifest}\n'
        for path, content in {"bot.toml": text, "main.py": "", **files}.items():
            (bot / path).parent.mkdir(parents=True, exist_ok=True)
            (bot / path).write_text(content, encoding="utf-8")
        return self.programs.store.add(bot).hash

    async def build(self, make: str, **limits: float) -> Built | BuildFailure | None:
        """What comes of a build command that is this program of Python."""
        return await self.build_version(self.add({"make.py": make}), **limits)

    async def build_version(self, version: str, **limits: float) -> Built | BuildFailure | None:
        bounds = replace(BuildLimits(), **limits)  # type: ignore[arg-type]
        return await build_version(self.programs, version, has_owner=False, limits=bounds)

    async def refusal(self, make: str, **limits: float) -> BuildFailure:
        """How a build fails; nothing of it is left then but its log."""
        version = self.add({"make.py": make})
        failure = await self.build_version(version, **limits)
        assert isinstance(failure, BuildFailure), failure
        assert "\n" not in failure.sentence
        assert str(self.directory) not in failure.sentence
        root = self.programs.builds.root
        assert {path.suffix for path in root.iterdir()} <= {".log", ".lock"}
        log = self.programs.builds.log(version, self.programs.runtimes.get("arena").hash)
        assert log is not None
        assert failure.sentence in log
        return failure

    def log(self, version: str) -> str:
        """What the build of a version, which goes on or has ended, has said."""
        return self.programs.builds.log(version, self.programs.runtimes.get("arena").hash) or ""

    def record(self, built: Built) -> dict[str, object]:
        """What the store keeps of a built version besides its files."""
        path = built.directory.with_name(f"{built.directory.name}.json")
        found: dict[str, object] = json.loads(path.read_text(encoding="ascii"))
        return found
