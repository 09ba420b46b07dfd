"""What holds for all tests: a machine may be slow, and the same commit passes or fails every time."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from arena.tournament import host_watch
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


WHOLE_PROGRAMS = ("/tests/e2e/", "/tests/web/people/")


@pytest.fixture(scope="module", autouse=True)
def migrations() -> Iterator[None]:
    """Fresh databases are what the migrations made once; `tests/ratings/store` is about the migrations themselves."""
    with repeated_migrations():
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put whole programs first: files shared out among processes end together if the longest are begun first."""
    items.sort(key=lambda item: not any(part in item.path.as_posix() for part in WHOLE_PROGRAMS))
