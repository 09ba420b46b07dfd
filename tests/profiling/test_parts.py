"""Which part a stack belongs to."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType

import pytest

from arena.profiling.parts import COORDINATOR_PARTS, WORKER_PARTS, ProfilePart, StackClassifier
from tests.support.sources import sources_below, text_of

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
        (["asyncio.events"], ProfilePart.GRPC),
        (["asyncio.events", "arena.referee.play"], ProfilePart.REFEREE),
        (["asyncio.events", "arena.referee.play", "arena.referee.stream"], ProfilePart.GRPC),
        (["asyncio.events", "arena.referee.play", "arena.match.match"], ProfilePart.ENGINE),
        (["asyncio.events", "arena.referee.queue.loop"], ProfilePart.GRPC),
        (["arena.referee.queue.loop", "arena.referee.stream", "arena.wire.messages"], ProfilePart.ENCODING),
        (["arena.referee.play", "arena.match.match", "engine.games.any.rules.phases"], ProfilePart.ENGINE),
        (["arena.referee.play", "arena.wire.messages", "engine.games.any.wire"], ProfilePart.ENCODING),
        (["arena.worker.match_host", "arena.match.replay", "json.encoder"], ProfilePart.RECORDING),
        (["arena.match.match", "a_game_of_others.rules"], ProfilePart.ENGINE),
        (["arena.referee.measuring", "arena.hosting.procfs.meter", "contextlib"], ProfilePart.METER),
        (["arena.hosting.launcher.client"], ProfilePart.REFEREE),
        (["threading", "threading"], ProfilePart.OTHER),
    ],
)
def test_the_innermost_module_that_is_named_decides_and_the_engine_works_for_its_caller(
    modules: list[str], part: ProfilePart
) -> None:
    assert StackClassifier(WORKER_PARTS, ProfilePart.OTHER).part_of(stack(*modules)) is part


def test_what_no_module_explains_is_told_as_what_it_is() -> None:
    assert StackClassifier(WORKER_PARTS, ProfilePart.GRPC).part_of(stack("threading")) is ProfilePart.GRPC
    assert StackClassifier(WORKER_PARTS, ProfilePart.OTHER).part_of(None) is ProfilePart.OTHER


def test_in_the_coordinator_its_loop_is_its_own_and_the_book_of_record_is_recording() -> None:
    judge = StackClassifier(COORDINATOR_PARTS, ProfilePart.COORDINATOR)
    assert judge.part_of(stack("asyncio.events", "arena.executor.worker_pool")) is ProfilePart.COORDINATOR
    assert (
        judge.part_of(stack("asyncio.events", "ratings.ledger.ledger", "sqlalchemy.engine.base"))
        is ProfilePart.RECORDING
    )


def module_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def test_the_tables_name_modules_that_are_there() -> None:
    there = {module_of(path) for path in sources_below("arena", "engine", "ratings")}
    there |= {name.rpartition(".")[0] for name in there}
    named = {name for name in (*WORKER_PARTS, *COORDINATOR_PARTS) if name.startswith(("arena.", "engine", "ratings"))}
    assert named - there == GENERATED


def test_whatever_of_a_worker_imports_grpc_carries_messages() -> None:
    places = sources_below("arena/referee", "arena/worker")
    carriers = {module_of(path) for path in places if re.search(r"^(import|from) grpc\b", text_of(path), re.MULTILINE)}
    assert carriers
    parts = {name: StackClassifier(WORKER_PARTS, ProfilePart.OTHER).part_of(stack(name)) for name in carriers}
    assert {name for name, part in parts.items() if part is not ProfilePart.GRPC} == set()
