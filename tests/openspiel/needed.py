"""Skips a file of tests that play OpenSpiel's games where OpenSpiel is not installed."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

NEEDED = "KMA_NEED_OPENSPIEL"
"""Where this is set, a file that would be skipped fails."""


def need_openspiel() -> None:
    """Skip the file that calls it unless OpenSpiel is installed."""
    if find_spec("pyspiel") is None:
        assert not os.environ.get(NEEDED), f"{NEEDED} is set, and yet OpenSpiel is not installed"
        pytest.skip("OpenSpiel is not installed; `make test-openspiel` runs this", allow_module_level=True)
