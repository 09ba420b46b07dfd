"""`arena tournament run` and `resume`: plan and play a tournament, by a verb for each format, or go on with one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.shared import match_order as request
from arena.cli.shared import options, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.hosting import LOCAL, HostingArguments, LeakChecks, WarmMemory
from arena.cli.shared.match_order import MatchTerms, check_machine, print_forecast, tournament_request
from arena.cli.shared.options import (
    AsJson,
    Database,
    TournamentText,
    example,
    parse_names,
    print_help_without_verb,
    with_options,
)
from arena.cli.shared.play_tournament import announce, play
from arena.cli.shared.results import print_end
from arena.model.operations import operation_target
from arena.tournament.formats.adaptive import DEFAULT_BLOCKS, DEFAULT_QUESTION, Adaptive, with_zone
from arena.tournament.formats.format import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin, Sample
from arena.tournament.formats.swiss import RETIRE_AFTER, USUAL, Swiss
from engine.translatable import Text
from ratings.statistics.stopping_question import MOST_WITHIN

_formats = typer.Typer(
    epilog=example("arena tournament run round-robin --game foreign_king --seats 3 --bots random,greedy,search")
)
app = typer.Typer()

RetireAfter = Annotated[int, typer.Option("--retire-after", min=0, metavar="N")]


_formats.callback(invoke_without_command=True)(print_help_without_verb)


app.add_typer(_formats, name="run")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryOptions:
    """The options that stand first in the command of every format: the game, the entrants and the size of a table."""

    game: request.GameOption
    bots: request.BotNames
    seats: request.Seats = None

    @property
    def seat_count(self) -> int:
        """Return the number of seats of each match. Raise MisuseError if it is neither given nor the only one."""
        return request.need_seats(self.game, self.seats)

    @property
    def names(self) -> list[str]:
        """Return the names of the entrants. Raise MisuseError if there is none."""
        return parse_names(self.bots, "bots")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options that stand last in the command of every format: on what terms, under which name, played where."""

    terms: MatchTerms
    unrated: Annotated[bool, typer.Option("--unrated")] = False
    same_owner: request.SameOwner = False
    name: request.TournamentName = None
    hosting: HostingArguments
    leak_checks: LeakChecks = settings.LEAK_CHECKS.default
    warm_memory: WarmMemory = settings.WARM_MEMORY.default
    db: options.Database = settings.DB.default
    dry_run: options.DryRun = False
    as_json: options.AsJson = False


def _example(*lines: str) -> str:
    """Return the epilog of a format's help: examples, each given by what follows `--game foreign_king`."""
    words = (line.partition(" ") for line in lines)
    return example(*(f"arena tournament run {verb} --game foreign_king {rest}" for verb, _, rest in words))


@_formats.command(
    RoundRobin.traits.name,
    epilog=_example(
        "round-robin --seats 3 --bots random,greedy,search --blocks 10",
        "round-robin --seats 2 --bots random,greedy --seed 1 --name monday",
        "round-robin --seats 2 --bots all --double --dry-run",
        "round-robin --seats 2 --bots all --rating-method openskill",
    ),
)
@with_options
def round_robin(
    entry: EntryOptions,
    blocks: Annotated[int | None, typer.Option(min=1, metavar="N")] = None,
    double: Annotated[bool, typer.Option("--double")] = False,
    *,
    run: RunOptions,
) -> None:
    """Play every combination of bots."""
    if double and blocks is not None:
        raise MisuseError(
            Text("--double is --blocks 2, and contradicts --blocks {blocks}; leave one of them out", blocks=blocks)
        )
    _run(RoundRobin(entry.seat_count, 2 if double else blocks or 1), entry.game, entry.names, run)


@_formats.command(Sample.traits.name, epilog=_example("sample --seats 2 --bots random,greedy,search --blocks 20"))
@with_options
def sample(
    entry: EntryOptions, blocks: Annotated[int, typer.Option(min=1, metavar="N")] = 10, *, run: RunOptions
) -> None:
    """Play a selection of all combinations of bots."""
    _run(Sample(entry.seat_count, blocks), entry.game, entry.names, run)


@_formats.command(
    Gauntlet.traits.name, epilog=_example("gauntlet --seats 2 --challenger search --bots random,greedy --blocks 20")
)
@with_options
def gauntlet(
    entry: EntryOptions,
    challenger: Annotated[str, typer.Option(metavar="BOT")],
    blocks: Annotated[int, typer.Option(min=1, metavar="N")] = 1,
    *,
    run: RunOptions,
) -> None:
    """Let one bot, the challenger, play every combination of the others."""
    first, *others = parse_names(challenger, "challenger")
    if others:
        raise MisuseError(
            Text("--challenger names {count} bots; name one, and its opponents with --bots", count=1 + len(others))
        )
    _run(Gauntlet(entry.seat_count, blocks), entry.game, [first, *entry.names], run)


@_formats.command(Swiss.traits.name, epilog=_example("swiss --seats 2 --bots random,greedy,search --rounds 5"))
@with_options
def swiss(
    entry: EntryOptions,
    rounds: Annotated[int | None, typer.Option(min=1, metavar="N")] = None,
    blocks: Annotated[int, typer.Option(min=1, metavar="N")] = 1,
    retire_after: RetireAfter = RETIRE_AFTER,
    *,
    run: RunOptions,
) -> None:
    """Play rounds between bots with similar scores."""
    _run(Swiss(entry.seat_count, rounds or USUAL, blocks, retire_after), entry.game, entry.names, run)


@_formats.command(
    Knockout.traits.name,
    epilog=_example(
        "knockout --seats 2 --bots random,greedy,search --best-of 3",
        "knockout --seats 2 --bots random,greedy,search --double --in-order",
    ),
)
@with_options
def knockout(
    entry: EntryOptions,
    double: Annotated[bool, typer.Option("--double")] = False,
    best_of: Annotated[int, typer.Option("--best-of", min=1, metavar="N")] = 1,
    in_order: Annotated[bool, typer.Option("--in-order")] = False,
    *,
    run: RunOptions,
) -> None:
    """Eliminate the losers of each round until one bot is left."""
    _run(Knockout(entry.seat_count, 2 if double else 1, best_of, not in_order), entry.game, entry.names, run)


@_formats.command(
    Adaptive.traits.name,
    epilog=_example(
        'adaptive --seats 2 --bots random,greedy,search --until "winner known at 95%"',
        'adaptive --seats 3 --bots random,greedy,search --until "top 2 known at 90%" --within 25',
    ),
)
@with_options
def adaptive(
    entry: EntryOptions,
    until: Annotated[str, typer.Option(metavar="QUESTION")] = DEFAULT_QUESTION,
    within: Annotated[float | None, typer.Option("--within", min=0.0, max=MOST_WITHIN, metavar="ELO")] = None,
    max_blocks: Annotated[int, typer.Option("--max-blocks", min=1, metavar="N")] = DEFAULT_BLOCKS,
    *,
    run: RunOptions,
) -> None:
    """Play until it is known which bots are the best."""
    _run(Adaptive(entry.seat_count, with_zone(until, within), max_blocks), entry.game, entry.names, run)


@_formats.command(
    LadderFormat.traits.name,
    epilog=_example(
        "ladder --seats 2 --bots random,greedy,search --waves 50",
        "ladder --seats 3 --bots random,greedy,search --waves 0",
    ),
)
@with_options
def ladder(
    entry: EntryOptions,
    waves: Annotated[int, typer.Option(min=0, metavar="N")] = 10,
    retire_after: RetireAfter = RETIRE_AFTER,
    *,
    run: RunOptions,
) -> None:
    """Play wave after wave between bots of similar strength."""
    _run(LadderFormat(entry.seat_count, waves, retire_after), entry.game, entry.names, run)


def _run(form: Format, game: str, entrants: Sequence[str], run: RunOptions) -> None:
    """Order a tournament of these entrants, in this order, see it to its end, and print its table.

    In a dry run, only what would be played is printed.
    """
    hosting = run.hosting.read(leak_checks=run.leak_checks, warm_memory=run.warm_memory)
    order = tournament_request(
        run.terms, form, game, entrants, name=run.name, rated=not run.unrated, same_owner=run.same_owner
    )
    if run.dry_run:
        print_forecast(run.db, order, hosting.workers, as_json=run.as_json)
        return
    with connect(run.db, makes=True) as connection:
        if hosting.executor == LOCAL:
            check_machine(connection, run.terms.cores, hosting.workers)
        planned = connection.arena.tournaments.create_tournament(order)
        announce(planned)
        detail = play(connection, planned.id, hosting)
        print_end(connection, detail, as_json=run.as_json)


@app.command(epilog=example("arena tournament resume monday", "arena tournament resume monday --executor ray"))
@with_options
def resume(
    tournament: TournamentText,
    hosting: HostingArguments,
    leak_checks: LeakChecks = settings.LEAK_CHECKS.default,
    warm_memory: WarmMemory = settings.WARM_MEMORY.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Continue a tournament that was stopped at any point."""
    wanted = hosting.read(leak_checks=leak_checks, warm_memory=warm_memory)
    with connect(db) as connection:
        found = operation_target(connection.arena.tournaments.get_progress(tournament))
        print_end(connection, play(connection, found, wanted), as_json=as_json)
