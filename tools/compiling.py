"""Compiles the engine by mypyc: `python -m tools.compiling FOLDER` makes FOLDER/engine, sources and compiled modules.

What a search or a referee does with positions is compiled, and what writes them into messages; what declares, reads and
shows them is not. The sources lie beside the compiled modules, and a stamp tells of which they were made
(`engine.build_info`). Needs mypy and setuptools, which `make wheel` has in an environment of their own, a C compiler,
and the headers of this Python.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import chdir
from importlib.metadata import version
from pathlib import Path

from engine.build_info import LIBRARY, STAMP, stamp

ROOT = Path(__file__).resolve().parents[1]
COMPILED = (
    *("chance.py", "core.py", "perft.py", "playout.py", "record.py"),
    *("kit/message_writer.py", "kit/phases.py"),
    *(
        f"games/*/{part}.py"
        for part in (
            *("actions", "board", "clones", "evaluation", "features", "odds", "options", "scoring", "state"),
            "wire",
        )
    ),
    *("games/*/evaluation/*.py", "games/*/rules/*.py"),
)
"""Patterns of the modules, in the engine's folder; a package's `__init__.py` never is one."""

LIBRARY_OF_ITS_OWN = ["-fvisibility=hidden", "-fno-semantic-interposition"]
"""Nobody calls into the library from outside, so that what lies in it is called directly."""


def sources(engine: Path) -> list[str]:
    """Return the sources of the modules that are compiled, from the engine's folder."""
    found = (path.relative_to(engine) for pattern in COMPILED for path in engine.glob(pattern))
    return sorted(str(path) for path in found if path.name != "__init__.py")


def what_is_missing() -> str:
    """Return in one line what is needed here to compile and is not there; nothing if all is."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    headers = Path(sysconfig.get_path("include"), "Python.h")
    if shutil.which(compiler) is None:
        return f"there is no C compiler {compiler!r}; on Debian: apt install gcc"
    if not headers.exists():
        return f"the headers of this Python are missing ({headers}); on Debian: apt install python3-dev"
    try:
        import mypyc.build
        import setuptools  # noqa: F401 # only whether they are there
    except ImportError as error:
        return f"{error}; make wheel installs what compiles into an environment of its own"
    del mypyc
    return ""


def compile_engine(target: Path) -> list[Path]:
    """Make `target`/engine, which must not exist, and return the compiled modules and the stamp."""
    from mypyc.build import mypycify
    from setuptools import setup

    engine = target / "engine"
    shutil.copytree(ROOT / "engine", engine, ignore=shutil.ignore_patterns("__pycache__", "*.so", STAMP))
    names = sources(engine)
    with chdir(target):
        # All into one library, so that calls between modules are C's own.
        options = ["--config-file=", "--ignore-missing-imports", "--cache-dir=build/mypy"]
        files = [f"engine/{name}" for name in names]
        extensions = mypycify([*options, *files], group_name=f"engine.{LIBRARY.removesuffix('__mypyc')}", opt_level="2")
        for extension in extensions:
            extension.extra_compile_args += LIBRARY_OF_ITS_OWN
        setup(name="engine", packages=[], ext_modules=extensions, script_args=["--quiet", "build_ext", "--inplace"])
    shutil.rmtree(target / "build")
    text = json.dumps(stamp(engine, names, f"mypyc {version('mypy')}"), indent=1)
    (engine / STAMP).write_text(text + "\n", encoding="utf-8")
    return [engine / STAMP, *sorted(engine.rglob("*.so"))]


def main(arguments: Sequence[str]) -> int:
    """Compile; 0, or 1 if something is missing for it."""
    parser = argparse.ArgumentParser(prog="python -m tools.compiling", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path, help="where `engine` is made; an old one there is replaced")
    target: Path = parser.parse_args(arguments).folder.resolve()
    missing = what_is_missing()
    if missing:
        sys.stderr.write(f"the engine cannot be compiled: {missing}\n")
        return 1
    shutil.rmtree(target / "engine", ignore_errors=True)
    files = compile_engine(target)
    sys.stdout.write(f"compiled {len(files) - 2} modules into {os.path.relpath(target / 'engine')}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
