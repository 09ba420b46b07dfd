"""The code of an earlier commit, to be measured in the same run as the code of today.

No copies of old code are kept in the tree: any commit or tag of the repository can be named, and its code is taken out
into a directory of its own for as long as it is needed. It runs with the libraries that are installed today.
"""

from __future__ import annotations

import compileall
import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_NO_BYTECODE = re.compile(r"/\.|/tests/|/build/")


class BaselineError(Exception):
    """The repository has no such commit."""


@contextmanager
def code_of(commit: str) -> Iterator[Path]:
    """Give a directory with the code of a commit or tag; it is removed at the end. Raises BaselineError."""
    with tempfile.TemporaryDirectory(prefix="arena-before-") as directory:
        archive = subprocess.run(["git", "archive", commit, "--"], cwd=ROOT, capture_output=True, check=False)
        if archive.returncode:
            raise BaselineError(f"there is no commit {commit} here; name one of `git log`, in a whole clone")
        subprocess.run(["tar", "-x", "-C", directory], input=archive.stdout, check=True)
        code = Path(directory)
        # Without what an installation says of a project, the old code would look for the games of today's.
        project = tomllib.loads((code / "pyproject.toml").read_text("utf-8"))["project"]
        version = project.get("version", "0")
        info = code / f"{project['name'].replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata, "utf-8")
        lines = []
        for group, points in project.get("entry-points", {}).items():
            lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
        compile_code(code)
        yield code


def compile_code(code: Path) -> None:
    """Write the bytecode of a code directory, as an installation does, so that no run has to compile anything."""
    compileall.compile_dir(str(code), quiet=1, rx=_NO_BYTECODE)


def environment_of(*places: Path) -> dict[str, str]:
    """Return the environment in which Python finds the code in these directories, the first of them first."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, places)), "COLUMNS": "100"}
