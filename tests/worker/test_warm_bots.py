"""Which processes are used again, and which are not."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.procfs.machine import MEGABYTE
from arena.hosting.procfs.usage import tree_resident_bytes
from arena.match.spec import SeatSpec
from arena.worker import warm_bots as warm
from arena.worker.host import MatchHost
from tests.support.patience import PATIENT
from tests.support.processes import marked_processes
from tests.support.script_game import GAME
from tests.support.specs import script_spec, scripted

CHECKOUT = str(Path(__file__).resolve().parents[2])
HOARDER = """
from tests.support.scripted_bot import *

hoard = b"x" * (120 * 1024 * 1024)
play("", 0)
"""


def bots(mark: str) -> set[int]:
    """The living bots, wherever this checkout lies."""
    commands = {pid: command.replace(CHECKOUT, "") for pid, command in marked_processes(mark).items()}
    return {pid for pid, command in commands.items() if "bot" in command}


async def play(host: MatchHost, seats: Sequence[SeatSpec], **changes: Any) -> None:
    spec = script_spec("0:3 1:3", len(seats), clock=PATIENT, seats=tuple(seats), **changes)
    assert (await host.play(spec)).result.by_rules
    await host.settle()


@pytest.mark.hostile("remember-the-chance-of-a-block")
async def test_no_process_plays_two_matches_of_one_block_of_a_game_with_chance(mark: str) -> None:
    seats = [scripted(), scripted("with-note", at=99)]
    async with MatchHost() as host:
        await play(host, seats, block="t/0")
        first = bots(mark)
        await play(host, seats, block="t/0")
        second = bots(mark) - first
        assert len(second) == 2
        await play(host, seats, block="t/1")
        await play(host, seats, block="t/1")
        assert bots(mark) == first | second  # all four could play in the next block


@pytest.mark.needs("minutes")
async def test_without_chance_a_block_has_no_secret(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAME), "has_chance", False)
    async with MatchHost() as host:
        await play(host, [scripted(), scripted("with-note", at=99)], block="t/0")
        first = bots(mark)
        await play(host, [scripted(), scripted("with-note", at=99)], block="t/0")
        assert bots(mark) == first


@pytest.mark.needs("minutes")
async def test_a_process_that_has_met_many_blocks_is_replaced(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "MOST_BLOCKS", 2)
    seats = [scripted(), scripted("with-note", at=99)]
    async with MatchHost() as host:
        await play(host, seats, block="t/0")
        first = bots(mark)
        await play(host, seats, block="t/1")
        assert not bots(mark) & first


@pytest.mark.needs("minutes")
async def test_other_limits_are_another_process(mark: str) -> None:
    async with MatchHost() as host:
        for memory_mb in (512, 256):
            await play(host, [replace(scripted(), memory_mb=memory_mb)] * 2)
        assert len(bots(mark)) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@pytest.mark.needs("minutes")
async def test_idle_processes_that_hold_too_much_memory_end_the_least_recently_used_first(
    mark: str, tmp_path: Path
) -> None:
    main = tmp_path / "bot.py"
    main.write_text(HOARDER, encoding="utf-8")
    hoarder = replace(scripted(), version="hoarder", command=(sys.executable, str(main)))
    async with MatchHost(warm_mb=200) as host:
        await play(host, [hoarder, hoarder])
        assert len(bots(mark)) == 1
        (kept,) = bots(mark)
        assert tree_resident_bytes(kept) > 120 * MEGABYTE
        await play(host, [hoarder, scripted()])
        assert kept not in bots(mark) or len(bots(mark)) == 2
        await play(host, [scripted("with-note", at=99), scripted()])
        assert len(bots(mark)) <= 3
    async with MatchHost(warm_mb=0) as host:
        await play(host, [scripted(), scripted()])
        assert not bots(mark)
