"""The checks of the tree share what they read of its files."""

from collections.abc import Iterator

import pytest

from tests.support.sources import facts_of


@pytest.fixture(scope="package", autouse=True)
def facts() -> Iterator[None]:
    """Forget the facts of 2,400 files when the last of these tests has ended: they take 40 MB."""
    yield
    facts_of.cache_clear()
