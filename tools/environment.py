"""Makes a virtual environment and installs lock files into it: `python3 tools/environment.py .venv run dev`.

It needs nothing but the standard library, does nothing where all is installed, and says in one line what is missing.
Two of them at the same time wait for each other.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_PROJECT = ("run", "dev", "all", "benchmarks")
"""The lock files for the arena itself, each of which holds all of `run`; the others are for tools alone."""
_PIP = ("--disable-pip-version-check", "install", "-q", "--no-compile", "--require-hashes")
_STAMP = "installed.json"


class SetupError(Exception):
    """What keeps an environment from being made, in one line with the remedy."""


def main(arguments: Sequence[str]) -> int:
    """Make the environment, and return 1 with a line on standard error if that is impossible."""
    parser = argparse.ArgumentParser(prog="python3 tools/environment.py", description=__doc__)
    parser.add_argument("directory", type=Path, help="where the environment lies, such as .venv")
    parser.add_argument("locks", nargs="+", help="names in requirements/, the last of which holds all before it")
    chosen = parser.parse_args(arguments)
    try:
        with _alone(chosen.directory):
            _install(chosen.directory, chosen.locks)
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the next call goes on from here\n")
        return 130
    return 0


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Hold the lock of an environment, waiting for another setup of it."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = (directory / "setup.lock").open("w")
    except OSError as error:
        raise SetupError(
            f"cannot write {directory}: {error.strerror}; copy the checkout to a place where you may write"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stdout.write(f"waiting for another setup of {directory}\n")
            sys.stdout.flush()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(directory: Path, locks: Sequence[str]) -> None:
    wanted = {}
    for name in locks:
        lock = _ROOT / f"requirements/{name}.lock"
        if not lock.is_file():
            raise SetupError(f"there is no {lock.relative_to(_ROOT)}; see requirements/")
        parts = [lock.read_bytes(), (_ROOT / "pyproject.toml").read_bytes(), str(_ROOT).encode(), sys.version.encode()]
        wanted[name] = hashlib.sha256(b"\0".join(parts)).hexdigest()
    stamp = directory / _STAMP
    done = json.loads(stamp.read_text("utf-8")) if stamp.exists() else {}
    if all(done.get(name) == digest for name, digest in wanted.items()):
        return
    sys.stdout.write(f"setting up {directory} from requirements/{locks[-1]}.lock\n")
    sys.stdout.flush()
    stamp.unlink(missing_ok=True)
    _make(directory)
    if locks[-1] in _PROJECT:
        # trueskill comes as source only, so that its build tools are installed first.
        _pip(directory, "-r", str(_ROOT / "requirements/build.lock"))
        _pip(directory, "--no-build-isolation", "-r", str(_ROOT / f"requirements/{locks[-1]}.lock"))
        _pip(directory, "--no-build-isolation", "--no-deps", "-e", str(_ROOT))
    else:
        _pip(directory, "-r", str(_ROOT / f"requirements/{locks[-1]}.lock"))
    stamp.write_text(json.dumps(done | wanted), encoding="utf-8")


def _make(directory: Path) -> None:
    try:
        import ensurepip  # noqa: F401 # venv runs it, and fails in many lines without it
        import venv
    except ImportError as error:
        raise SetupError(f"this Python has no module {error.name}; on Debian: apt install python3-venv") from error
    try:
        venv.EnvBuilder(with_pip=True, symlinks=True).create(directory)
    except subprocess.CalledProcessError as error:
        raise SetupError(
            f"{directory} was made by another Python, or is damaged; remove it: rm -rf {directory}"
        ) from error


def _pip(directory: Path, *words: str) -> None:
    """Install something; an error tells the last line that pip gave for it."""
    options = [word for word in _PIP if not (word == "--require-hashes" and "-e" in words)]
    # An old pip would build trueskill the legacy way and warn; a new one knows no other way and ignores the variable.
    environment = {**os.environ, "PIP_USE_PEP517": "1"}
    command = [str(directory / "bin" / "python"), "-m", "pip", *options, *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        told = [line for line in (done.stderr + done.stdout).splitlines() if line.startswith("ERROR:")]
        why = told[-1].removeprefix("ERROR: ") if told else f"it ended with {done.returncode}"
        raise SetupError(
            f"pip could not install {Path(words[-1]).name}: {why}"
            f" (a new environment needs the network, or a package index of yours; see the settings of pip)"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
