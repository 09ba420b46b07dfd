"""What holds for all tests: a machine may be slow, and the same commit passes or fails every time."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from arena.tournament import host_watch
from tests.support import postgres
from tests.support.migrated import repeated_migrations

# As a worker has it; gRPC reads this once, at its first import.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
# Tests compare what is said in English, whatever the machine's own language is.
os.environ["ARENA_LANG"] = "en"

# A match that its host lost is tried again at once; tests of the pauses set their own.
host_watch.FIRST_PAUSE_S = 0.0

settings.register_profile(
    "arena", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("arena")


ON_BOTH = ("tests/ratings", "tests/tournament")
"""The folders whose tests run on both databases."""
ON_A_SERVER = (*ON_BOTH, "tests/postgresql")
_server: list[postgres.Server] = []
WHOLE_PROGRAMS = ("/tests/e2e/", "/tests/web/people/")


@pytest.fixture(scope="module", autouse=True)
def migrations() -> Iterator[None]:
    """Fresh databases are what the migrations made once; `tests/ratings/store` is about the migrations themselves."""
    with repeated_migrations():
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put whole programs first: files shared out among processes end together if the longest are begun first."""
    items.sort(key=lambda item: not any(part in item.path.as_posix() for part in WHOLE_PROGRAMS))


def pytest_configure(config: pytest.Config) -> None:
    """Start a database server for the tests that need one, if one is installed; it ends with this process."""
    is_worker = hasattr(config, "workerinput")
    if is_worker or os.environ.get(postgres.URL) or not _asks_for_server(config):
        return
    if why := postgres.why_not():
        assert not os.environ.get(postgres.NEEDED), f"{postgres.NEEDED} is set, and yet: {why}"
        return
    server = postgres.Server()
    _server.append(server)
    server.start()
    os.environ[postgres.URL] = server.url


def _asks_for_server(config: pytest.Config) -> bool:
    root = Path(__file__).parent.parent
    asked = [(root / argument.partition("::")[0]).resolve() for argument in config.args]
    places = [root / place for place in ON_A_SERVER]
    return any(one == place or one in place.parents or place in one.parents for one in asked for place in places)


def pytest_unconfigure(config: pytest.Config) -> None:
    while _server:
        _server.pop().close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say plainly what was left out."""
    if _asks_for_server(config) and (why := postgres.why_not()):
        terminalreporter.write_line(f"NOT TESTED: databases on a server, because {why}")
