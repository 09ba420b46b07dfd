"""Finds what a test of this folder needs: without it the test is skipped, unless it must be there."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest

NEEDED = "KMA_NEED_RESEARCH"
"""A variable that, if it is set, makes a missing package a failure."""


def need(package: str) -> Any:
    """Return a package, or skip the test that asks for it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        if os.environ.get(NEEDED):
            raise
        pytest.skip(f"{package} is not installed ({error}); `make test-research` has it")
