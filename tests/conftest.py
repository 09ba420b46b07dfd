"""What holds for all tests: a machine may be slow, and the same commit passes or fails every time."""

import ctypes
import gc
import importlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from arena.tournament import circuit_breaker as host_watch
from tests.support import needs, postgres
from tests.support.databases import repeated_migrations

# As a worker has it; gRPC reads this once, at its first import.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
# Tests compare what is said in English, whatever the machine's own language is.
os.environ["ARENA_LANG"] = "en"

# A match that its host lost is tried again at once; tests of the pauses set their own.
host_watch.FIRST_PAUSE_S = 0.0

# What tests no longer use goes back to the machine: all threads take from one heap, and its free end is cut off.
with suppress(AttributeError):  # other C libraries than glibc see to it themselves
    _set_up_heap = ctypes.CDLL(None).mallopt
    _set_up_heap(-8, 1)  # M_ARENA_MAX
    _set_up_heap(-1, 128 * 1024)  # M_TRIM_THRESHOLD

settings.register_profile(
    "arena", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("arena")


ON_BOTH = ("tests/ratings", "tests/tournament")
"""The folders whose tests run on both databases."""
ON_A_SERVER = (*ON_BOTH, "tests/postgresql")
SHARING = ("tests/tree", "tests/web/people", "tests/cluster")
"""The folders whose files run in one process, because they share what is made once."""
_server: list[postgres.Server] = []
WHOLE_PROGRAMS = ("/tests/e2e/", "/tests/web/people/", "/tests/cluster/", "/tests/compiled/")


@pytest.fixture(scope="module", autouse=True)
def migrations() -> Iterator[None]:
    """Fresh databases are what the migrations made once; `tests/ratings/store` is about the migrations themselves."""
    with repeated_migrations():
        yield


class _Scheduling(LoadFileScheduling):  # type: ignore[misc] # xdist has no types
    """Gives the tests of a file, or of a folder in `SHARING`, to one process."""

    def _split_scope(self, nodeid: str) -> str:
        return next((folder for folder in SHARING if nodeid.startswith(f"{folder}/")), nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadFileScheduling | None:
    """Share the files among processes where that is asked for."""
    return _Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Do not collect garbage while tests are collected, leave their objects out of it later, and run it seldom."""
    gc.disable()
    try:
        _import_own_part(session.config)
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(5_000, 10, 20)


def _import_own_part(config: pytest.Config) -> None:
    """Begin to import the test modules at another place than the other processes of xdist.

    In a fresh checkout the processes would otherwise compile the same module at the same time, each for itself. So each
    compiles a part of them, and then finds those of the others compiled.
    """
    own: dict[str, Any] = getattr(config, "workerinput", {})
    number = int(own.get("workerid", "gw0").removeprefix("gw"))
    if not number or config.args != ["tests"]:
        return
    paths = [path for path in sorted(Path(__file__).parent.rglob("test_*.py")) if not _is_left_out(path, config)]
    begin = len(paths) * number // own["workercount"]
    for path in paths[begin:]:
        with suppress(Exception):  # pytest imports it again, and tells what is wrong
            importlib.import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))


def _is_left_out(path: Path, config: pytest.Config) -> bool:
    needed = needs.of_folder(path)
    return needed is not None and (config.option.markexpr == needs.BARE or bool(needs.why_missing(needed)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out whole folders that are not asked for, or whose modules could not even be imported here."""
    return True if _is_left_out(collection_path, config) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say what tests need before they are chosen by it, and put whole programs first.

    Files shared out among processes end together if the longest are begun first.
    """
    needs.add_marks(items)
    items.sort(key=lambda item: not any(part in item.path.as_posix() for part in WHOLE_PROGRAMS))


def pytest_runtest_setup(item: pytest.Item) -> None:
    needs.require(item)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Tell what the machine has, before minutes are spent on the rest."""
    if config.option.markexpr != needs.MARK:
        return []
    return ["what tests may need, and what is missing on this machine:", *needs.table()]


def pytest_configure(config: pytest.Config) -> None:
    """Start a database server for the tests that need one, if one is installed; it ends with this process."""
    is_worker = hasattr(config, "workerinput")
    if is_worker or os.environ.get(postgres.URL) or not _asks_for_server(config) or postgres.why_not():
        return
    server = postgres.Server()
    _server.append(server)
    server.start()
    os.environ[postgres.URL] = server.url


def _asks_for_server(config: pytest.Config) -> bool:
    if config.option.markexpr == needs.BARE or config.option.collectonly:
        return False
    root = Path(__file__).parent.parent
    asked = [(root / argument.partition("::")[0]).resolve() for argument in config.args]
    places = [root / place for place in ON_A_SERVER]
    return any(one == place or one in place.parents or place in one.parents for one in asked for place in places)


def pytest_unconfigure(config: pytest.Config) -> None:
    while _server:
        _server.pop().close()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell a run that was cut short from one in which single tests failed; see tools/test_all.py."""
    if session.shouldfail or session.shouldstop:
        session.exitstatus = pytest.ExitCode.INTERRUPTED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say plainly what was left out."""
    for line in needs.not_tested(terminalreporter.stats.get("skipped", [])):
        terminalreporter.write_line(line)
    if config.option.markexpr == needs.BARE and (left := len(terminalreporter.stats.get("deselected", []))):
        terminalreporter.write_line(f"{left} tests need optional programs or minutes; make test-all runs them")
