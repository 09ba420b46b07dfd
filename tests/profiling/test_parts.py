"""Which part a stack belongs to."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType

import pytest

from arena.profiling.parts import COORDINATOR_ROOMS, WORKER_ROOMS, Judge, Part
from tests.support.sources import sources_below, text_of

NO_CARRIERS = {"arena.referee.errors", "arena.referee.join"}
"""Modules that import gRPC to say how a call ends: to no stream on which a match is played."""
GENERATED = {"arena.games"}
"""What only generated code lies in, which is no source."""


def stack(*modules: str) -> FrameType:
    """The innermost frame of a stack of functions of these modules, the outermost first, above that of the test."""
    space: dict[str, object] = {"__name__": modules[-1], "get": sys._getframe}
    exec("def call(): return get()", space)
    for module in reversed(modules[:-1]):
        space = {"__name__": module, "inner": space["call"]}
        exec("def call(): return inner()", space)
    call = space["call"]
    assert callable(call)
    frame = call()
    assert isinstance(frame, FrameType)
    return frame


@pytest.mark.parametrize(
    ("modules", "part"),
    [
        (["asyncio.events"], Part.GRPC),
        (["asyncio.events", "arena.referee.play"], Part.REFEREE),
        (["asyncio.events", "arena.referee.play", "arena.referee.stream"], Part.GRPC),
        (["asyncio.events", "arena.referee.play", "arena.match.match"], Part.ENGINE),
        (["asyncio.events", "arena.referee.queue.loop"], Part.GRPC),
        (["arena.referee.queue.loop", "arena.referee.stream", "arena.wire.parsing"], Part.ENCODING),
        (["arena.referee.play", "arena.match.match", "engine.games.any.rules.phases"], Part.ENGINE),
        (["arena.referee.play", "arena.wire.encoding", "engine.games.any.wire"], Part.ENCODING),
        (["arena.worker.host", "arena.match.replay", "json.encoder"], Part.RECORDING),
        (["arena.match.match", "a_game_of_others.rules"], Part.ENGINE),
        (["arena.referee.stopwatch", "arena.hosting.procfs.meter", "contextlib"], Part.METER),
        (["arena.hosting.launcher.client"], Part.REFEREE),
        (["threading", "threading"], Part.OTHER),
    ],
)
def test_the_innermost_module_that_is_named_decides_and_the_engine_works_for_its_caller(
    modules: list[str], part: Part
) -> None:
    assert Judge(WORKER_ROOMS, Part.OTHER).part_of(stack(*modules)) is part


def test_what_no_module_explains_is_told_as_what_it_is() -> None:
    assert Judge(WORKER_ROOMS, Part.GRPC).part_of(stack("threading")) is Part.GRPC
    assert Judge(WORKER_ROOMS, Part.OTHER).part_of(None) is Part.OTHER


def test_in_the_coordinator_its_loop_is_its_own_and_the_book_of_record_is_recording() -> None:
    judge = Judge(COORDINATOR_ROOMS, Part.COORDINATOR)
    assert judge.part_of(stack("asyncio.events", "arena.executor.pool")) is Part.COORDINATOR
    assert judge.part_of(stack("asyncio.events", "ratings.ledger.ledger", "sqlalchemy.engine.base")) is Part.RECORDING


def module_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def test_the_tables_name_modules_that_are_there() -> None:
    there = {module_of(path) for path in sources_below("arena", "engine", "ratings")}
    there |= {name.rpartition(".")[0] for name in there}
    named = {name for name in (*WORKER_ROOMS, *COORDINATOR_ROOMS) if name.startswith(("arena.", "engine", "ratings"))}
    assert named - there == GENERATED


def test_whatever_of_a_worker_imports_grpc_carries_messages() -> None:
    places = sources_below("arena/referee", "arena/worker")
    carriers = {module_of(path) for path in places if re.search(r"^(import|from) grpc\b", text_of(path), re.MULTILINE)}
    assert carriers
    parts = {name: Judge(WORKER_ROOMS, Part.OTHER).part_of(stack(name)) for name in carriers}
    assert {name for name, part in parts.items() if part is not Part.GRPC} == NO_CARRIERS
