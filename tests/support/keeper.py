"""Seats for the bots of the zoo: their files copied to a directory of their own, as those of a version are."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from arena.match.spec import NO_SANDBOX, SeatSpec

SUPPORT = Path(__file__).parent
PROGRAM = "tests.support.zoo"
FILES = ("__init__.py", "raw_stream.py", "scripted_bot.py", "zoo")


def copy_zoo(directory: Path) -> Path:
    """All that a bot of the zoo needs but the arena's own packages; readable for everybody, as the store is."""
    support = directory / "tests" / "support"
    support.mkdir(parents=True)
    (directory / "tests" / "__init__.py").touch()
    for name in FILES:
        if (SUPPORT / name).is_dir():
            shutil.copytree(SUPPORT / name, support / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(SUPPORT / name, support / name)
    directory.chmod(0o755)
    return directory


def zoo_seat(
    directory: Path,
    behaviour: str = "",
    *,
    at: int = 0,
    level: str = NO_SANDBOX,
    memory_mb: int = 512,
    mark: str = "",
    aims: Mapping[str, str] | None = None,
) -> SeatSpec:
    """A seat for a bot of the zoo in `directory`; without a behaviour it is honest."""
    words = ["--do", behaviour, "--at", str(at)] if behaviour else []
    words += [word for name, value in (aims or {}).items() for word in ("--aim", f"{name}={value}")]
    words += ["--mark", mark] if mark else []
    return SeatSpec(
        version=f"{behaviour or 'honest'}-{at}-{level}-{hash(tuple(words))}",
        name=behaviour or "honest",
        directory=str(directory),
        command=(sys.executable, "-m", PROGRAM, *words),
        seed=1,
        memory_mb=memory_mb,
        sandbox=level,
    )
