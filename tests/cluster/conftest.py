"""Tests with a Ray cluster of two machines, which are two raylets of this one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.sample_bots import sample_directory
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.spec import MatchSpec, SeatSpec, program_seat
from tests.support.processes import marked_home
from tests.support.small_cluster import SmallCluster, small_cluster
from tests.support.specs import king_spec


@pytest.fixture(scope="package")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Stands in the environment of every process that these tests start; none outlives them."""
    with marked_home(tmp_path_factory.mktemp("home")) as mark:
        yield mark


@pytest.fixture(scope="package")
def cluster(mark: str) -> Iterator[SmallCluster]:
    """One for all: what a test adds to it is gone at its end."""
    with small_cluster() as made:
        yield made


@pytest.fixture(scope="package")
def programs(tmp_path_factory: pytest.TempPathFactory) -> StoredPrograms:
    return StoredPrograms(VersionStore(tmp_path_factory.mktemp("arena") / "arena.bots"))


@pytest.fixture(scope="package")
def seat(programs: StoredPrograms) -> SeatSpec:
    """A seat for a bot in the store, which plays at random by its seed."""
    stored = programs.store.add(sample_directory("random"))
    return program_seat("random", stored.hash, programs.find(stored.hash), "none", seed=5)


@pytest.fixture(scope="package")
def specs(seat: SeatSpec) -> list[MatchSpec]:
    return [
        king_spec(f"m{number}", [replace(seat, seed=2 * number), replace(seat, seed=2 * number + 1)])
        for number in range(6)
    ]


@pytest.fixture(scope="package")
def stuck(programs: StoredPrograms, seat: SeatSpec, tmp_path_factory: pytest.TempPathFactory) -> MatchSpec:
    """A match that only a cancel ends: its bots never connect, and nobody counts how long that takes."""
    directory = tmp_path_factory.mktemp("stuck") / "bot"
    shutil.copytree(sample_directory("random"), directory)
    (directory / "main.py").write_text("import time\n\ntime.sleep(3600)\n", encoding="utf-8")
    stored = programs.store.add(directory)
    sleeper = program_seat("stuck", stored.hash, programs.find(stored.hash), "none", seed=5)
    return king_spec("stuck", [sleeper, sleeper])


@pytest.fixture
def cache(mark: str) -> Path:
    """Where machines keep versions; all are this one."""
    return Path(mark.partition("=")[2]) / ".cache" / "kingmaker-arena" / "versions"
