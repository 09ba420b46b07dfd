"""The tiers of the tests: what a test needs beyond Python, pip and make, and what this machine has of it.

A test, a file or a folder says what it needs by the mark `needs`; what it takes from a fixture or a parameter is added
here. A test without that mark belongs to `make test`, all others to `make test-all`. A test is skipped where something
that it needs is missing, and fails there if the variable `KMA_NEEDED` names it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from unittest import mock

import pytest

from arena.hosting.debian_packages import install_command, missing_packages
from arena.hosting.runtimes.runtime import SYSTEM_PATH
from arena.hosting.sandbox.limits import STANDARD
from arena.hosting.sandbox.probe import explain_shared_ids, probe
from tests.support import machines, postgres
from tests.support.sources import ROOT
from tools.compiling import what_is_missing

MARK = "needs"
NEEDED = "KMA_NEEDED"
"""The variable with the names of what must be there, separated by spaces: then nothing is skipped for want of it."""
BARE = f"not {MARK}"
"""The expression that chooses the tests of `make test`."""
MINUTES = "minutes"
OLDEST_NODE = 18
GENERATOR = Path(os.environ.get("ARENA_PROTO_PYTHON") or ROOT / ".venv-proto" / "bin" / "python")


def _chromium() -> str:
    if shutil.which("chromium") is None and shutil.which("chromium-browser") is None:
        return f"there is no chromium; {install_command(['chromium'])}"
    return _package("playwright")


def _package(name: str) -> str:
    found = importlib.util.find_spec(name)
    return "" if found else f"the Python package {name} is not installed; make test-all installs it"


def _evaluation() -> str:
    return next(filter(None, map(_package, ("pyspiel", "cvxpy", "ecos", "matplotlib", "networkx"))), "")


def _generator() -> str:
    return "" if GENERATOR.exists() else f"{GENERATOR} is missing; make setup-proto makes it"


def _language(name: str) -> str:
    packages = missing_packages(name)
    return f"no bot in {name} runs here; {install_command(packages)}" if packages else ""


def _system_language(name: str) -> str:
    """A sandbox shows the system's programs alone: a compiler in a home does not help."""
    with mock.patch.dict(os.environ, {"PATH": SYSTEM_PATH}):
        return _language(name)


def _node() -> str:
    if why := _language("node"):
        return why
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    is_old = int(version.removeprefix("v").partition(".")[0]) < OLDEST_NODE
    return f"Node.js {OLDEST_NODE} or newer is needed, this is {version}" if is_old else ""


def _sandbox() -> str:
    found = probe(STANDARD, remembered=False)
    return "" if found.works else f"{found.problem}; {found.remedy}"


def _own_ids() -> str:
    return _sandbox() or explain_shared_ids()


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a test may need: what it is, and a function that says in one line why it is missing, if it is."""

    what: str
    why_missing: Callable[[], str]


NEEDS: Mapping[str, Need] = {
    MINUTES: Need("time: the test takes long", lambda: ""),
    "sandbox": Need("bubblewrap, for bots of strangers", _sandbox),
    "own_ids": Need("user ids for bots: root, or uidmap and a range in /etc/subuid", _own_ids),
    "browser": Need("Chromium and Playwright", _chromium),
    "node": Need("Node.js, for bots in JavaScript", _node),
    "cpp": Need("a C++ compiler, protoc and gRPC's headers", lambda: _language("cpp")),
    **{
        name: Need(f"what bots in {title} need", partial(_system_language, name))
        for name, title in (
            *(("c", "C"), ("go", "Go"), ("java", "Java"), ("lua", "Lua"), ("perl", "Perl"), ("ruby", "Ruby")),
            *(("rust", "Rust"), ("shell", "POSIX shell")),
        )
    },
    "compiler": Need("a C compiler, for the compiled engine", what_is_missing),
    "postgresql": Need("a PostgreSQL server", postgres.why_not),
    "ray": Need("Ray, for matches on many machines", lambda: _package("ray")),
    "schemathesis": Need("Schemathesis, for odd requests", lambda: _package("schemathesis")),
    "kernel": Need("user-mode Linux, for another kernel", lambda: machines.MISSING),
    "mkdocs": Need("MkDocs, for the site of the documents", lambda: _package("mkdocs")),
    "openspiel": Need("OpenSpiel", lambda: _package("pyspiel")),
    "evaluation": Need("OpenSpiel with what it judges by: cvxpy, ecos, matplotlib, networkx", _evaluation),
    "polarix": Need(
        "polarix, for equilibria of the largest entropy",
        lambda: "" if importlib.util.find_spec("polarix") else "pip install polarix",
    ),
    "openskill": Need("OpenSkill", lambda: _package("openskill")),
    "research": Need("PettingZoo, Gymnasium, OpenSpiel", lambda: _package("pettingzoo")),
    "generator": Need("the generator of the wire's code", _generator),
}
"""Everything that the mark may name."""
OF_FIXTURES: Mapping[str, str] = {
    "browser": "browser",
    "page": "browser",
    "phone": "browser",
    "cluster": "ray",
    "compiled_wheel": "compiler",
    "own_server": "postgresql",
    "url": "postgresql",
}
"""What comes with a fixture of that name, if the fixture is one of tests/."""


OF_FOLDERS: Mapping[str, str] = {
    "tests/compiled": "compiler",
    "tests/openspiel": "openspiel",
    "tests/postgresql": "postgresql",
    "tests/research": "research",
}
"""Folders whose tests all need something, without which they are not even collected."""


@cache
def why_missing(name: str) -> str:
    """Return in one line why the machine lacks something and what brings it, or an empty text."""
    return NEEDS[name].why_missing()


def names_of(item: pytest.Item) -> list[str]:
    """Return everything that a test needs, in the order of the marks."""
    return list(dict.fromkeys(str(name) for mark in item.iter_markers(MARK) for name in mark.args))


def add_marks(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that need something because of their folder, of a fixture or of their database."""
    for item in items:
        folder = of_folder(item.path)
        fixtures = getattr(item, "fixturenames", ())
        names = {OF_FIXTURES[name] for name in fixtures if name in OF_FIXTURES}
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        if parameters.get("kind_of_database") == "postgresql":
            names.add("postgresql")
        if folder:
            names.add(folder)
        for name in sorted(names):
            item.add_marker(pytest.mark.needs(name))


def of_folder(path: Path) -> str | None:
    """Return what all tests in a folder of the tests, or in the folder of a file, need."""
    place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
    return next((name for folder, name in OF_FOLDERS.items() if f"{place}/".startswith(f"{folder}/")), None)


def require(item: pytest.Item) -> None:
    """Skip a test, or fail it, where something that it needs is missing."""
    for name in names_of(item):
        if name not in NEEDS:
            pytest.fail(f"{name!r} is nothing that a test may need; these are: {', '.join(NEEDS)}", pytrace=False)
        if why := why_missing(name):
            if name in os.environ.get(NEEDED, "").split():
                pytest.fail(f"{NEEDED} names {name}, and yet: {why}", pytrace=False)
            pytest.skip(f"needs {name}: {why}")


def table() -> list[str]:
    """Return a line for each need: whether this machine has it, and what would bring it."""
    asked = [name for name in NEEDS if name != MINUTES]
    width = max(map(len, asked))
    return [f"  {name:{width}}  {why_missing(name) or 'here'}" for name in asked]


def not_tested(skipped: Sequence[pytest.TestReport]) -> list[str]:
    """Return a line for each need that was missing: how many tests were skipped for it."""
    reasons = [str(report.longrepr[2]) for report in skipped if isinstance(report.longrepr, tuple)]
    missing = Counter(text.removeprefix("Skipped: ") for text in reasons if "needs " in text)
    return [f"NOT TESTED: {count} tests, {why}" for why, count in missing.items()]
