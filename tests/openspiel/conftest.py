from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

NEEDED = "KMA_NEED_OPENSPIEL"


@pytest.fixture(scope="session")
def spiel() -> None:
    """OpenSpiel, without which a test that plays its games is skipped; where it is said to be there, it must be."""
    if find_spec("pyspiel") is None:
        assert not os.environ.get(NEEDED), f"{NEEDED} is set, and yet OpenSpiel is not installed"
        pytest.skip("OpenSpiel is not installed; `make test-openspiel` runs this")
