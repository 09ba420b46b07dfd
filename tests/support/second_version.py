"""What is tried in a machine with version 2 of control groups alone, as root and as a user with a group of his own.

python -m tests.support.second_version     as the only process of a kernel of its own; prints what `booted` reads
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.sources import ROOT

USER = 1001
TESTS = (
    "tests/hosting/cgroups/test_cgroup.py",
    "tests/hosting/sandbox/test_strict.py",
)
CHOSEN = "test_group or first or killed_launcher"
"""This kernel is slow; what is the same in version 1 is tested there alone."""
PLUGINS = ("pytest_asyncio.plugin", "pytest_timeout")
"""What the tests and their settings need of pytest's plugins: importing the others takes seconds there."""
GROUPS = Path("/sys/fs/cgroup")
GIVEN = GROUPS / "given"
PROBE = """
import json
from dataclasses import asdict
from pathlib import Path
from arena.hosting.sandbox.probe import probe
found = probe("strict", remembered=False)
own = Path("/proc/self/cgroup").read_text()
print({mark!r} + json.dumps({{**asdict(found), "own": own}}))
"""


def run_tests() -> int:
    """Run the tests of groups here, as root; return pytest's status."""
    words = ["-q", "-rs", "--color=no", "--noconftest", "-p", "no:cacheprovider", "-k", CHOSEN, *TESTS]
    plugins = [word for name in PLUGINS for word in ("-p", name)]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run([sys.executable, "-m", "pytest", *plugins, *words], check=False, env=environment).returncode


def show(paths: list[str]) -> None:
    """Let everybody reach these directories, whatever is above them, which is hidden else."""
    places = {}
    for number, path in enumerate(dict.fromkeys(paths)):
        closed = next((one for one in reversed(Path(path).parents) if not one.stat().st_mode & 0o001), None)
        if closed is not None:
            kept = Path(tempfile.gettempdir(), "kept", str(number))
            kept.mkdir(parents=True)
            subprocess.run(["mount", "--bind", path, str(kept)], check=True)
            places[path] = closed, kept
    for closed in {closed for closed, _ in places.values()}:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", str(closed)], check=True)
    for path, (_, kept) in places.items():
        Path(path).mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--bind", str(kept), path], check=True)


def give_group() -> None:
    """Make a group and give it to the user, as systemd does with `Delegate=yes`."""
    (GROUPS / "cgroup.subtree_control").write_text("+cpu +memory +pids")
    GIVEN.mkdir()
    for path in (GIVEN, GIVEN / "cgroup.procs", GIVEN / "cgroup.subtree_control", GIVEN / "cgroup.threads"):
        os.chown(path, USER, USER)
    os.setxattr(GIVEN, "user.delegate", b"1")


def probe_as_user(mark: str, group: Path) -> None:
    """Print what a trial of the level finds for the user, started in that group."""
    home = Path(tempfile.gettempdir(), mark.strip())
    home.mkdir()
    os.chown(home, USER, USER)

    def become() -> None:
        (group / "cgroup.procs").write_text("0")
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)

    command = [sys.executable, "-c", PROBE.format(mark=mark)]
    subprocess.run(command, preexec_fn=become, env={**os.environ, "HOME": str(home)}, check=False)


def tell(mark: str, found: object) -> None:
    """Print a finding behind its mark."""
    sys.stdout.write(f"{mark}{json.dumps(found)}\n")
    sys.stdout.flush()


def main() -> None:
    """Try everything, and print one line for each finding."""
    tell("TESTS ", run_tests())
    tell("LEFT ", [path.name for path in GROUPS.glob("kingmaker*")])
    show([sys.base_prefix, sys.prefix, str(ROOT)])
    give_group()
    probe_as_user("GIVEN ", GIVEN)
    probe_as_user("OTHERS ", GROUPS)
    tell("BELOW ", [path.name for path in GIVEN.glob("kingmaker*")])


if __name__ == "__main__":
    main()
