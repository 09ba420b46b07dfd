"""Bots in C++ for tests, built by the arena's own builder from one program, `tests/bots/cpp/main.cpp`."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from arena.hosting.builds import Built
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import RuntimeDefinition, RuntimeKind, RuntimeSettings
from arena.hosting.sandbox.programs import StoredPrograms
from tests.support.builds import Workshop
from tests.support.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "bots" / "cpp"
GUIDE = ROOT / "docs" / "write-a-bot-in-cpp.md"
_RUNTIME = "compiled"
_BLOCK = re.compile(r"```cpp\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class CppBots:
    """The program that was built, which is any of these bots by its first argument; the sample without one."""

    programs: StoredPrograms
    level: str
    source: Path
    """The directory that was stored and built."""
    built: Built
    log: str
    """What the build said."""

    @property
    def path(self) -> str:
        """The program."""
        return str(self.built.directory / "bot")


async def build_bots(directory: Path, level: str) -> CppBots:
    """Build the program at a level of the sandbox, in a runtime as an organiser defines it."""
    workshop = Workshop(directory, level)
    native = RuntimeSettings({_RUNTIME: RuntimeDefinition(_RUNTIME, RuntimeKind.NATIVE)})
    workshop.programs = replace(workshop.programs, runtimes=RuntimeCatalog(native, cache=directory / "cache"))
    source = _write_source(directory / "cpp")
    version = workshop.programs.store.add(source).hash
    built = await workshop.build_version(version, time_s=PATIENCE_S)
    assert isinstance(built, Built), built
    log = workshop.programs.builds.log(version, built.runtime)
    return CppBots(workshop.programs, level, source, built, log or "")


def _write_source(directory: Path) -> Path:
    """Write a bot that holds the kit, the sample, the template, the bots of the guide and those of the tests."""
    shutil.copytree(SAMPLE, directory, ignore=shutil.ignore_patterns(".build", "main.cpp"))
    for name, source in (("sample", SAMPLE), ("template", SAMPLE / "template")):
        (directory / name).mkdir(exist_ok=True)
        shutil.copy(source / "main.cpp", directory / name)
    shutil.copy(ROOT / "tests" / "bots" / "cpp" / "main.cpp", directory)
    (directory / "guide").mkdir()
    for name, text in zip(("bot", "position"), _BLOCK.findall(GUIDE.read_text(encoding="utf-8")), strict=True):
        (directory / "guide" / f"{name}.inc").write_text(text, encoding="utf-8")
    manifest = (SAMPLE / "bot.toml").read_text(encoding="utf-8")
    (directory / "bot.toml").write_text(manifest.replace('"bundled"', f'"{_RUNTIME}"'), encoding="utf-8")
    return directory
