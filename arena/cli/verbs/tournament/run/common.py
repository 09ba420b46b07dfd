"""`arena tournament run FORMAT`: one command for each format; what they share stands once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.host_report import LeakChecks, WarmMemory
from arena.cli.shared.hosting_options import AllowReduced, Sandbox
from arena.cli.shared.options import (
    AsJson,
    Database,
    GameOptions,
    Workers,
    example,
    parse_names,
    print_help_without_verb,
)
from arena.cli.shared.play import play, read_keeping
from arena.cli.shared.request import (
    BotNames,
    GameOption,
    OpeningPlies,
    Order,
    Seed,
    StartLimit,
    TimeText,
    TournamentName,
    add_tournament,
)
from arena.cli.shared.storage import open_book
from arena.cli.shared.tournament_table import print_end
from arena.tournament.formats.adaptive import DEFAULT_BLOCKS, DEFAULT_QUESTION, Adaptive
from arena.tournament.formats.format import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin, Sample
from arena.tournament.formats.swiss import RETIRE_AFTER, Swiss, usual_rounds
from ratings.store.models import Tournament

app = typer.Typer()
app.callback(invoke_without_command=True)(print_help_without_verb)

Entry: TypeAlias = tuple[Format, list[str]]
Chooser: TypeAlias = Callable[[int, list[str]], Entry]
"""From the seats and the bots of `--bots`: the format with its settings, and who enters, in which order."""

RetireAfter = Annotated[
    int,
    typer.Option(
        "--retire-after", min=0, metavar="N", help="Blocks in a row that a bot may forfeit whole; 0 = any number."
    ),
]


def _play_tournament(
    choose: Chooser,
    game: GameOption,
    bots: BotNames,
    seats: Annotated[int, typer.Option(metavar="N", help="Bots in one match.")],
    time: TimeText = "100ms",
    start_limit: StartLimit = "10s",
    option: GameOptions = None,
    opening_plies: OpeningPlies = None,
    seed: Seed = None,
    unrated: Annotated[bool, typer.Option("--unrated", help="Leave the ratings alone.")] = False,
    name: TournamentName = None,
    workers: Workers = 0,
    sandbox: Sandbox = settings.SANDBOX.default,
    allow_reduced: AllowReduced = False,
    leak_checks: LeakChecks = settings.LEAK_CHECKS.default,
    warm_memory: WarmMemory = settings.WARM_MEMORY.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    keeping = read_keeping(sandbox, allow_reduced=allow_reduced, leak_checks=leak_checks, warm_memory=warm_memory)
    form, entrants = choose(seats, parse_names(bots, "bots"))
    order = Order(game, bots, time, start_limit, option, opening_plies, seed, rated=not unrated, name=name)
    with open_book(db) as book:
        tournament = add_tournament(book, order, form, entrants)
        announce(tournament)
        play(book, tournament, workers=workers, keeping=keeping)
        print_end(book, tournament, as_json=as_json)


def announce(tournament: Tournament) -> None:
    """Say on stderr what begins, and whether it can be repeated."""
    seed = tournament.settings.get("seed")
    origin = f"seed {seed}: can be repeated" if tournament.seeded else "seeds from the operating system"
    typer.echo(f"tournament {tournament.name} ({origin})", err=True)


def _command(verb: str, *examples: str) -> Callable[[Callable[..., Chooser]], Callable[..., None]]:
    """Make a command of a function that reads a format's own options: it gets those of all formats as well."""

    def register(own: Callable[..., Chooser]) -> Callable[..., None]:
        mine = inspect.signature(own, eval_str=True).parameters
        _, *shared = inspect.signature(_play_tournament, eval_str=True).parameters.values()

        def command(**values: Any) -> None:
            chooser = own(**{name: values.pop(name) for name in mine})
            _play_tournament(chooser, **values)

        parameters = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in (*shared[:3], *mine.values(), *shared[3:])
        ]
        command.__doc__ = own.__doc__
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        lines = [f"arena tournament run {verb} --game foreign_king {words}" for words in examples]
        return app.command(verb, epilog=example(*lines))(command)

    return register


@_command(
    RoundRobin.name,
    "--seats 3 --bots random,greedy,search --blocks 10",
    "--seats 2 --bots random,greedy --seed 1 --name monday",
    "--seats 2 --bots random,greedy,search --double",
)
def round_robin(
    blocks: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Blocks for each combination of bots; 1 if not given.")
    ] = None,
    double: Annotated[bool, typer.Option("--double", help="Two blocks for each combination.")] = False,
) -> Chooser:
    """Play every combination of bots, in blocks: one opening in all rotations of the seats."""
    if double and blocks is not None:
        raise MisuseError(f"--double is --blocks 2, and contradicts --blocks {blocks}; leave one of them out")
    return lambda seats, bots: (RoundRobin(seats, 2 if double else blocks or 1), bots)


@_command(Sample.name, "--seats 2 --bots random,greedy,search --blocks 20")
def sample(
    blocks: Annotated[int, typer.Option(min=1, metavar="N", help="Blocks for each bot, or one or two more.")] = 10,
) -> Chooser:
    """Play some of all combinations, so chosen that every pair meets equally often, to within two blocks."""
    return lambda seats, bots: (Sample(seats, blocks), bots)


@_command(Gauntlet.name, "--seats 2 --challenger search --bots random,greedy --blocks 20")
def gauntlet(
    challenger: Annotated[str, typer.Option(metavar="BOT", help="Who meets all the others, those of --bots.")],
    blocks: Annotated[
        int, typer.Option(min=1, metavar="N", help="Blocks for each combination of opponents of the challenger.")
    ] = 1,
) -> Chooser:
    """Let one bot, the challenger, meet every combination of the others."""
    first, *others = parse_names(challenger, "challenger")
    if others:
        raise MisuseError(f"--challenger names {1 + len(others)} bots; name one, and its opponents with --bots")
    return lambda seats, bots: (Gauntlet(seats, blocks), [first, *bots])


@_command(Swiss.name, "--seats 2 --bots random,greedy,search --rounds 5")
def swiss(
    rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Rounds; by default so many that one at most stays unbeaten.")
    ] = None,
    blocks: Annotated[int, typer.Option(min=1, metavar="N", help="Blocks of each pairing or table.")] = 1,
    retire_after: RetireAfter = RETIRE_AFTER,
) -> Chooser:
    """Play rounds between bots that stand alike; nobody meets again while it can be avoided."""
    return lambda seats, bots: (
        Swiss(seats, rounds or usual_rounds(len(bots), max(2, seats)), blocks, retire_after),
        bots,
    )


@_command(
    Knockout.name,
    "--seats 2 --bots random,greedy,search --best-of 3",
    "--seats 2 --bots random,greedy,search --double --in-order",
)
def knockout(
    double: Annotated[bool, typer.Option("--double", help="Who loses twice is out, not who loses once.")] = False,
    best_of: Annotated[int, typer.Option("--best-of", min=1, metavar="N", help="Blocks that decide a tie.")] = 1,
    in_order: Annotated[
        bool, typer.Option("--in-order", help="Seed the bots in the order of --bots; otherwise seeds are drawn.")
    ] = False,
) -> Chooser:
    """Play ties whose losers are out, until one is left; with 3 to 5 seats the better half of a table goes on."""
    return lambda seats, bots: (Knockout(seats, 2 if double else 1, best_of, not in_order), bots)


@_command(
    Adaptive.name,
    '--seats 2 --bots random,greedy,search --until "winner known at 95%"',
    '--seats 3 --bots random,greedy,search --until "top 2 known at 90%" --max-blocks 500',
)
def adaptive(
    until: Annotated[
        str, typer.Option(metavar="QUESTION", help='"top 3 known at 95%" or "winner known at 99%".')
    ] = DEFAULT_QUESTION,
    max_blocks: Annotated[
        int, typer.Option("--max-blocks", min=1, metavar="N", help="End after so many, whatever is known.")
    ] = DEFAULT_BLOCKS,
) -> Chooser:
    """Play until the best are known, where it tells most: close rivals meet often, clear cases seldom."""
    return lambda seats, bots: (Adaptive(seats, until, max_blocks), bots)


@_command(
    Ladder.name, "--seats 2 --bots random,greedy,search --waves 50", "--seats 3 --bots random,greedy,search --waves 0"
)
def ladder(
    waves: Annotated[
        int, typer.Option(min=0, metavar="N", help="Waves of about one block for each bot; 0 = until it is cancelled.")
    ] = 10,
    retire_after: RetireAfter = RETIRE_AFTER,
) -> Chooser:
    """Go on and on: bots near in strength meet, each plays equally often, others join and withdraw meanwhile."""
    return lambda seats, bots: (Ladder(seats, waves, retire_after), bots)
