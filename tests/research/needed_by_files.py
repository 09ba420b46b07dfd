"""Skips a whole file of tests where a package of the extra `research` is not installed."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

from tests.research.needed import NEEDED


def need_for_file(package: str) -> None:
    """Skip the file that calls it unless the package is installed, which it must be where that is said."""
    if find_spec(package) is None:
        assert not os.environ.get(NEEDED), f"{NEEDED} is set, and yet there is no {package}"
        pytest.skip(f"{package} is not installed; `make test-research` has it", allow_module_level=True)
