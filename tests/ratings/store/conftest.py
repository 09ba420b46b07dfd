"""Here the migrations themselves make every database."""

from collections.abc import Iterator

import pytest

from tests.support.databases import same_statements


@pytest.fixture(scope="module", autouse=True)
def migrations() -> Iterator[None]:
    """Leave them as they are."""
    with same_statements():
        yield
