"""`arena compare`: whether the new version is better than the old one."""

from __future__ import annotations

import enum
from dataclasses import asdict, replace
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect, next_command
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.hosting import LOCAL, HostingArguments
from arena.cli.shared.language import say
from arena.cli.shared.match_order import (
    GameOption,
    MatchTerms,
    Seats,
    TournamentName,
    check_machine,
    need_seats,
    print_forecast,
    tournament_request,
)
from arena.cli.shared.options import AsJson, Database, DryRun, example, parse_names, with_options
from arena.cli.shared.output import print_json
from arena.cli.shared.play_tournament import announce, play
from arena.cli.shared.results import comparison_facts, comparison_lines, need_result
from arena.tournament.formats.compare import Compare, Design, design_for
from engine.translatable import Text
from ratings.statistics.errors import ResultsError
from ratings.statistics.scores import expected_score
from ratings.statistics.sequential_test import CompareSettings

app = typer.Typer()

_ASKED = CompareSettings()
_USUAL_SEATS = 2
_FAR_MORE = 2
"""With half of the steps that the worst of fields needs, others are still decided."""


class Preset(enum.StrEnum):
    """A question that is asked often, by name."""

    QUICK = "quick"
    """Is there something to it at all: no gain, or 60 Elo?"""
    GAIN = "gain"
    """No gain, or 20 Elo?"""
    REGRESSION = "regression"
    """A loss of 20 Elo, or none?"""


_DEFAULT = Preset.GAIN


_BOUNDS_ELO = {Preset.QUICK: (0.0, 60.0), Preset.GAIN: (0.0, 20.0), Preset.REGRESSION: (-20.0, 0.0)}


@app.command(
    epilog=example(
        "arena compare search@3f2a search@91bc --game foreign_king --elo0 0 --elo1 5",
        "arena compare search greedy --game foreign_king --seats 3 --field random,greedy2 --max-blocks 500",
    )
)
@with_options
def compare(
    new: Annotated[str, typer.Argument(metavar="NEW")],
    old: Annotated[str, typer.Argument(metavar="OLD")],
    game: GameOption,
    seats: Seats = None,
    field: Annotated[str, typer.Option(metavar="A,B,...")] = "",
    max_blocks: Annotated[int | None, typer.Option("--max-blocks", min=1, metavar="N")] = None,
    preset: Annotated[Preset | None, typer.Option()] = None,
    elo0: Annotated[float | None, typer.Option(min=-1000, max=1000)] = None,
    elo1: Annotated[float | None, typer.Option(min=-1000, max=1000)] = None,
    gain: Annotated[float | None, typer.Option(min=0.001, max=0.49)] = None,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.49)] = _ASKED.alpha,
    beta: Annotated[float, typer.Option(min=0.0001, max=0.49)] = _ASKED.beta,
    *,
    terms: MatchTerms,
    name: TournamentName = None,
    hosting: HostingArguments,
    db: Database = settings.DB.default,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Test whether one version is better than another."""
    wanted = hosting.read()
    others = parse_names(field, "field") if field else []
    bounds = _read_bounds(preset, elo0, elo1, gain)
    form = _form(need_seats(game, seats, _USUAL_SEATS), max_blocks, bounds, (alpha, beta), has_field=bool(others))
    if form.design == Design.ALONE and form.seats > _USUAL_SEATS:
        typer.echo(say("cli_compare.copies"), err=True)
    order = tournament_request(terms, form, game, [new, old, *others], rated=False, name=name)
    if dry_run:
        print_forecast(db, order, wanted.workers, as_json=as_json)
        return
    with connect(db, makes=True) as connection:
        if wanted.executor == LOCAL:
            check_machine(connection, terms.cores, wanted.workers)
        versions = connection.arena.bots
        if versions.find_version(new).version_id == versions.find_version(old).version_id:
            raise MisuseError(
                Text(
                    "{new} and {old} are the same version; name two, for example {name}@HASH for an earlier one, "
                    "`arena bot list` shows them",
                    new=new,
                    old=old,
                    name=old.partition("@")[0],
                )
            )
        planned = connection.arena.tournaments.create_tournament(order)
        announce(planned)
        detail = play(connection, planned.id, wanted)
    assert detail.comparison is not None
    if as_json:
        faults = [asdict(one) for one in detail.faults]
        facts = comparison_facts(detail.comparison)
        print_json({"tournament": planned.name, "new": new, "old": old, **facts, "faults": faults})
    else:
        for line in comparison_lines(detail.comparison):
            typer.echo(line)
        show = next_command("tournament", "show", planned.name, "--matches", db=db)
        typer.echo("\n" + say("cli_shared.shows_matches", command=show))
    need_result(connection, detail)


def _form(
    seats: int, max_blocks: int | None, bounds: tuple[float, float], errors: tuple[float, float], *, has_field: bool
) -> Compare:
    design = design_for(seats, has_field=has_field)
    form = _checked(Compare(seats, max_blocks or 1, *bounds, *errors, design))
    return _with_usual_limit(form) if max_blocks is None else form


def _with_usual_limit(form: Compare) -> Compare:
    """Return the form with as many steps as its question needs, and say so where that is far more than may be."""
    needed, most = form.needed, form.usual_limit()
    if needed > _FAR_MORE * most:
        typer.echo(say("cli_compare.too_fine", needed=needed, most=most), err=True)
    return replace(form, pairs=most)


def _checked(form: Compare) -> Compare:
    try:
        form.settings  # noqa: B018 - making them checks them
    except ResultsError as error:
        raise MisuseError(str(error)) from error
    return form


def _read_bounds(
    preset: Preset | None, elo0: float | None, elo1: float | None, gain: float | None
) -> tuple[float, float]:
    """Return the two gains, shares of the score beyond one half. Raises MisuseError if two ways are mixed."""
    ways = [preset is not None, elo0 is not None or elo1 is not None, gain is not None]
    if sum(ways) > 1:
        raise MisuseError(Text("--preset, --elo0 with --elo1, and --gain are three ways to ask; use one of them"))
    if gain is not None:
        return 0.0, gain
    if ways[1]:
        if elo0 is None or elo1 is None:
            raise MisuseError(Text("--elo0 and --elo1 go together, for example --elo0 0 --elo1 5"))
        low, high = elo0, elo1
    else:
        low, high = _BOUNDS_ELO[preset or _DEFAULT]
    if low >= high:
        raise MisuseError(
            Text(
                "--elo0 {low} is not below --elo1 {high}; for example --elo0 0 --elo1 5",
                low=f"{low:g}",
                high=f"{high:g}",
            )
        )
    return expected_score(low) - 0.5, expected_score(high) - 0.5
