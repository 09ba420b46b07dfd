"""What is tried: the code of each area, and the tests that must notice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Area:
    """Some code, and its tests; paths are relative to the checkout."""

    code: tuple[str, ...]
    tests: tuple[str, ...]


_RECORDING = tuple(f"ratings/ledger/{name}.py" for name in ("recording", "leasing", "rating"))

AREAS: Mapping[str, Area] = {
    "match": Area(("arena/match",), ("tests/match",)),
    "referee": Area(("arena/referee",), ("tests/referee",)),
    "hosting": Area(("arena/hosting",), ("tests/hosting",)),
    "executor": Area(("arena/executor",), ("tests/executor", "tests/cluster")),
    "ledger": Area(("ratings/ledger",), ("tests/ratings/ledger", "tests/ratings/read/test_archive.py")),
    "recording": Area(_RECORDING, ("tests/ratings/ledger",)),
    "statistics": Area(("ratings/statistics",), ("tests/ratings/statistics",)),
    "tournament": Area(("arena/tournament",), ("tests/tournament",)),
}
SAMPLE = 40
"""How many faults are tried in each area."""
LEAST_NOTICED = 0.9
"""Which part of them must be noticed, besides those that are listed as changing nothing."""
