"""Here the migrations themselves make every database."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def migrations() -> None:
    """Leave them as they are."""
