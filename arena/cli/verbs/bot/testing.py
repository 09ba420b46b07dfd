"""Runs one test of a bot, keeps what was played, looks where lost matches turned, and prints what it found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from shlex import join
from typing import Any

import typer

from arena.cli.shared.cells import printable
from arena.cli.shared.connect import program
from arena.cli.shared.hosting import local_runtimes, notes_on_games
from arena.cli.shared.language import say, translated
from arena.cli.shared.match_order import granted_workers
from arena.cli.shared.output import print_json, print_table
from arena.cli.shared.progress import ProgressDisplay
from arena.cli.verbs.bot.test_options import SEARCH_PLAYOUTS, BotTestOptions, announce, find_test_level, place_to_keep
from arena.cli.verbs.bot.versions import finding_line
from arena.executor.local import LocalExecutor
from arena.hosting.builder.build import BuildFailure, PreparedBot, prepare_bot
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.match.spec import program_seat
from arena.model.bots import Finding, FindingState
from arena.model.table_columns import SEATS, TOGETHER, Column, ColumnKind, pick, without_empty
from arena.trial.artifacts import ArtifactDirectory, whole_log
from arena.trial.lineup import SEARCH, Lineup, of_known_rules, opponent_in
from arena.trial.local_test import (
    ValueDrop,
    decision_times,
    find_drop,
    is_lost,
    peak_memory_bytes,
    score_of,
    scores,
    temporary_store,
    try_out,
)
from arena.trial.trials import BUILD, RULES, PlayedTrial, failed, noted, passed
from engine.translatable import Text

MOST_REVIEWED = 2
"""How many lost matches against each sample are looked at for their turning point."""
_SHOWN_LINES = 12
_MEGABYTE = 1 << 20
_SCORES = (
    Column("against", "against"),
    Column("matches", "matches", ColumnKind.COUNT),
    Column("won", "won", ColumnKind.COUNT),
    *pick(SEATS, *TOGETHER),
    Column("faults", "faults", ColumnKind.COUNT),
    Column("mean", "score", ColumnKind.SHARE),
    Column("low", "95_from", ColumnKind.SHARE),
    Column("high", "to", ColumnKind.SHARE),
)


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
    packages = await asyncio.to_thread(programs.runtimes.notes_on_packages, prepared.manifest, wishes.directory)
    games = (noted(RULES, note) for note in notes_on_games(prepared.manifest.games))
    findings = (*_built(prepared), *(noted(BUILD, note) for note in packages), *games, *findings)
    record = BotTest(name, seat.version, seed, level, seat.memory_mb, kept, findings)
    if not grounds:
        return record
    lineup = Lineup(seat, grounds, wishes.samples(), wishes.clock, seed, wishes.number_of_matches, wishes.cores)
    workers = granted_workers(wishes.workers, wishes.cores)
    display = ProgressDisplay(0, 0)
    async with LocalExecutor(workers, cores=lineup.cores) as executor:
        tested = await try_out(lineup, executor, lambda over, total: display.update(over, total=total))
    display.end(tested.played)
    for played in tested.matches:
        await asyncio.to_thread(kept.add, played)
    lost: dict[str, list[PlayedTrial]] = {}
    for played in sorted(filter(is_lost, tested.matches), key=score_of):
        lost.setdefault(opponent_in(played.trial), []).append(played)
    turned = tuple(
        [
            Turned(played, kept.replay(played), await find_drop(kept.replay(played), played.trial.own[0]))
            for found in lost.values()
            for played in found[:MOST_REVIEWED]
        ]
    )
    return replace(record, findings=(*record.findings, *tested.findings), matches=tested.matches, turned=turned)


def _built(prepared: PreparedBot) -> list[Finding]:
    if prepared.build_s is None:
        return []
    return [
        passed(
            BUILD,
            Text("Its build command ran for {seconds} s.", seconds=f"{prepared.build_s:.1f}"),
        )
    ]


def _milliseconds(us: int) -> str:
    return f"{us / 1000:.1f} ms" if us else "-"


_TIMES = (
    Column("game", "game"),
    Column("seats", "seats", ColumnKind.COUNT),
    Column("decisions", "decisions", ColumnKind.COUNT),
    Column("median_us", "median", ColumnKind.COUNT, write=_milliseconds),
    Column("p99_us", "99", ColumnKind.COUNT, write=_milliseconds),
    Column("longest_us", "longest", ColumnKind.COUNT, write=_milliseconds),
    Column("limit_us", "limit", ColumnKind.COUNT, write=_milliseconds),
)


def print_test(test: BotTest) -> None:
    """Print a test for people."""
    for finding in test.findings:
        typer.echo(finding_line(finding))
        if finding.state is FindingState.FAILED:
            evidence = finding.evidence
            for line in str(evidence.get("log") or evidence.get("stderr") or "").rstrip().splitlines()[-_SHOWN_LINES:]:
                typer.echo(f"  | {printable(line)}")
            for line in str(evidence.get("stdout") or "").rstrip().splitlines()[-_SHOWN_LINES:]:
                typer.echo(f"  stdout | {printable(line)}")
            if (replay := _replay_of(test, evidence)) is not None:
                typer.echo("  " + say("cli_bot.shows_position", command=_show(replay, evidence["ply"])))
    if test.matches:
        times = [asdict(one) for one in decision_times(test.matches)]
        if times:
            typer.echo("\n" + say("cli_bot.decisions"))
            print_table(_TIMES, times, as_json=False)
        typer.echo("\n" + say("cli_bot.memory", memory=_memory_text(test)) + "\n")
        if SEARCH in {opponent_in(played.trial) for played in test.matches}:
            typer.echo(say("cli_bot.against_search", search=SEARCH, playouts=SEARCH_PLAYOUTS))
        else:
            typer.echo(say("cli_bot.against_samples"))
        rows = _score_rows(test.matches)
        print_table(without_empty(_SCORES, rows), rows, as_json=False)
        if test.turned:
            typer.echo("\n" + say("cli_bot.lost"))
        for one in test.turned:
            ground, fall = one.played.trial.setup, one.fall
            where = say(
                "cli_bot.value_to", opponent=opponent_in(one.played.trial), ground=translated(ground.describe())
            )
            if fall is None:
                typer.echo(f"  {where}: `{_show(one.replay)}`")
            else:
                typer.echo(
                    "  "
                    + say(
                        "cli_bot.fell",
                        where=where,
                        before=f"{fall.before:.2f}",
                        after=f"{fall.after:.2f}",
                        command=_show(one.replay, fall.ply),
                    )
                )
        _print_tail(test)
        typer.echo("\n" + say("cli_bot.kept_in", directory=test.kept.directory))
        typer.echo(say("cli_bot.same_matches", seed=test.seed, again=test.seed))


def _replay_of(test: BotTest, evidence: Mapping[str, Any]) -> Path | None:
    """Return the replay of the match that a fault was made in, if it got as far as a decision."""
    wanted = [evidence.get(key) for key in ("game", "seats", "cause", "ply", "explanation")]
    for played in test.matches:
        ground = played.trial.setup
        for fault in played.faults:
            found = [ground.game, ground.seats, fault.cause.value, fault.ply, fault.explanation]
            if found == wanted and played.report.plies >= fault.ply > 0:
                return test.kept.replay(played)
    return None


def _memory_text(test: BotTest) -> str:
    peak = peak_memory_bytes(test.matches)
    if not any(played.processes for played in test.matches):
        return say("cli_bot.none_joined")
    if peak is None:
        return say("cli_bot.not_told")
    return say("cli_bot.memory_peak", peak=f"{peak / _MEGABYTE:.0f}", limit=test.memory_mb)


def _score_rows(matches: Sequence[PlayedTrial]) -> list[dict[str, Any]]:
    rows = []
    for one in scores(matches):
        row = asdict(one)
        interval = row.pop("score")
        rows.append({**row, "mean": interval["mean"], "low": interval["low"], "high": interval["high"]})
    return rows


def _print_tail(test: BotTest) -> None:
    """Print the end of what it wrote in a match: one with a fault if there is one, or else the last."""
    written = [(played, text) for played in test.matches if (text := "".join(_logs(played)))]
    if not written:
        typer.echo("\n" + say("cli_bot.wrote_nothing"))
        return
    played, text = next((one for one in written if one[0].faults), written[-1])
    typer.echo("\n" + say("cli_bot.wrote_end", file=test.kept.log(played)))
    for line in text.rstrip().splitlines()[-_SHOWN_LINES:]:
        typer.echo(f"  | {printable(line)}")


def _logs(played: PlayedTrial) -> Iterator[str]:
    for log in played.report.seat_logs:
        if log.seat in played.trial.own:
            yield whole_log(log).decode("utf-8", "replace")


def _show(replay: Path, ply: int | None = None) -> str:
    words = () if ply is None else ("--ply", str(ply))
    return join([program(), "replay", "show", str(replay), *words])


def print_test_json(test: BotTest) -> None:
    """Print all that is known of a test, for a program."""
    print_json(
        {
            "bot": test.name,
            "version": test.version,
            "fine": test.is_fine,
            "sandbox": test.level,
            "seed": test.seed,
            "findings": [{**asdict(finding), "check": str(finding.check)} for finding in test.findings],
            "decisions": [asdict(one) for one in decision_times(test.matches)],
            "memory": {"peak_bytes": peak_memory_bytes(test.matches), "limit_mb": test.memory_mb},
            "scores": _score_rows(test.matches),
            "lost": [_turned_json(one) for one in test.turned],
            "matches": [_match_json(test, played) for played in test.matches],
            "kept": str(test.kept.directory),
        }
    )


def _turned_json(turned: Turned) -> dict[str, Any]:
    fall = turned.fall
    return {
        "match": turned.played.trial.spec.match_id,
        "against": opponent_in(turned.played.trial),
        "fall": None if fall is None else asdict(fall),
        "command": _show(turned.replay, None if fall is None else fall.ply),
    }


def _match_json(test: BotTest, played: PlayedTrial) -> dict[str, Any]:
    return {
        "match": played.trial.spec.match_id,
        "game": played.trial.setup.game,
        "seats": played.trial.setup.seats,
        "seat": played.trial.own[0],
        "against": opponent_in(played.trial),
        "ranks": list(played.report.result.ranks),
        "score": float(score_of(played)),
        "faults": [asdict(fault) for fault in played.faults],
        "replay": str(test.kept.replay(played)),
    }
