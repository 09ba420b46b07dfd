"""The checks of the tree share what they read of its files."""

from collections.abc import Iterator

import pytest

from tests.support.sources import facts_of


@pytest.fixture(scope="package", autouse=True)
def facts() -> Iterator[None]:
    """Keep the facts of all files while these tests run, and no longer: they take tens of megabytes."""
    yield
    facts_of.cache_clear()
