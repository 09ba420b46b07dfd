"""Runs one test of a bot: prepares it, plays, keeps what was played, and looks where lost matches turned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from arena.cli.shared.granting import granted_workers
from arena.cli.shared.progress import ProgressDisplay
from arena.cli.shared.runtimes import local_runtimes
from arena.cli.verbs.bot.test_options import BotTestOptions, announce, find_test_level, place_to_keep
from arena.executor.local import LocalExecutor
from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.builder.preparing import PreparedBot, prepare_bot
from arena.hosting.sandbox.programs import StoredPrograms
from arena.match.spec import program_seat
from arena.model.bots import Finding, FindingState
from arena.trial.artifacts import ArtifactDirectory
from arena.trial.figures import is_lost, score_of
from arena.trial.lineup import Lineup, opponent_in
from arena.trial.local_test import Tested, try_out
from arena.trial.review import ValueDrop, find_drop
from arena.trial.setups import of_known_rules
from arena.trial.temporary_store import temporary_store
from arena.trial.trials import PlayedTrial
from arena.trial.values import BUILD, failed, passed
from engine.text import Text

MOST_REVIEWED = 2
"""How many lost matches against each sample are looked at for their turning point."""


@dataclass(frozen=True, slots=True)
class Turned:
    """A match that was lost, and where it turned."""

    played: PlayedTrial
    replay: Path
    fall: ValueDrop | None


@dataclass(frozen=True, slots=True)
class BotTest:
    """One test of a bot."""

    name: str
    version: str
    """The content hash of its files, empty if they could not be built."""
    seed: int
    level: str
    memory_mb: int
    kept: ArtifactDirectory
    findings: tuple[Finding, ...]
    matches: tuple[PlayedTrial, ...] = ()
    turned: tuple[Turned, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether nothing is wrong with the bot."""
        return not any(finding.state is FindingState.FAILED for finding in self.findings)


@contextmanager
def open_test(wishes: BotTestOptions) -> Iterator[Callable[[], Coroutine[Any, Any, BotTest]]]:
    """Check the wishes, say where the bot is tested, and give what tests it, as it is in its directory at each call.

    Raises BotDirectoryError and MisuseError if there is nothing to be tested, SandboxUnavailableError, KeepingError. A
    test raises these, too, UndecidedError and the errors of hosting and executor if the host fails.
    """
    wishes.check()
    with place_to_keep(wishes.directory, wishes.keep) as place, ExitStack() as stack:
        level = find_test_level(wishes.sandbox)
        programs = stack.enter_context(temporary_store(local_runtimes(wishes.runtimes), level.name))
        announce(wishes.directory, level)
        yield partial(_test, wishes, programs, place)


async def _test(wishes: BotTestOptions, programs: StoredPrograms, keep: Path) -> BotTest:
    """Test a bot; show on stderr how far that is."""
    prepared = await prepare_bot(wishes.directory, programs)
    kept = await asyncio.to_thread(ArtifactDirectory, keep)
    level, seed = programs.sandbox_level(has_owner=False), wishes.drawn_seed()
    if isinstance(prepared, BuildFailure):
        finding = failed(BUILD, prepared.sentence, {"log": prepared.log})
        return BotTest(wishes.directory.resolve().name, "", seed, level, 0, kept, (finding,))
    name = prepared.manifest.name
    seat = program_seat(name, prepared.version, prepared.program, level)
    wanted = wishes.grounds(name, prepared.manifest.games)
    grounds, findings = of_known_rules(wanted, dict(prepared.manifest.rules))
    record = BotTest(name, seat.version, seed, level, seat.memory_mb, kept, (*_built(prepared), *findings))
    if not grounds:
        return record
    lineup = Lineup(seat, grounds, wishes.samples(), wishes.clock, seed, wishes.number_of_matches, wishes.cores)
    tested = await _play(lineup, granted_workers(wishes.workers, wishes.cores))
    for played in tested.matches:
        await asyncio.to_thread(kept.add, played)
    turned = await _review(tested.matches, kept)
    return replace(record, findings=(*record.findings, *tested.findings), matches=tested.matches, turned=turned)


def _built(prepared: PreparedBot) -> list[Finding]:
    if prepared.build_s is None:
        return []
    return [
        passed(
            BUILD,
            Text(
                "command.build_command_ran_s",
                "Its build command ran for {seconds} s.",
                seconds=f"{prepared.build_s:.1f}",
            ),
        )
    ]


async def _play(lineup: Lineup, workers: int) -> Tested:
    display = ProgressDisplay(0, 0)
    async with LocalExecutor(workers, cores=lineup.cores) as executor:
        tested = await try_out(lineup, executor, lambda over, total: display.update(over, total=total))
    display.end(tested.played)
    return tested


async def _review(matches: Sequence[PlayedTrial], kept: ArtifactDirectory) -> tuple[Turned, ...]:
    """Return the matches that were lost most clearly, a few against each sample, and where they turned."""
    lost: dict[str, list[PlayedTrial]] = {}
    for played in sorted(filter(is_lost, matches), key=score_of):
        lost.setdefault(opponent_in(played.trial), []).append(played)
    return tuple(
        [await _turn(played, kept.replay(played)) for found in lost.values() for played in found[:MOST_REVIEWED]]
    )


async def _turn(played: PlayedTrial, replay: Path) -> Turned:
    return Turned(played, replay, await find_drop(replay, played.trial.own[0]))
