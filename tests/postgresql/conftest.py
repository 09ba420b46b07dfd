from collections.abc import Iterator

import pytest

from tests.support import postgres


@pytest.fixture(scope="module")
def own_server() -> Iterator[postgres.Server]:
    """A server that a test may stop and start."""
    server = postgres.Server()
    server.start()
    yield server
    server.close()


@pytest.fixture
def url() -> Iterator[str]:
    """A database without a table on the server of all tests."""
    name = postgres.new_database()
    yield postgres.url_of(name)
    postgres.run_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
