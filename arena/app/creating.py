"""Plans what was asked for: the request of a viewer becomes a tournament in the database."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Any

from arena.app.field import expand
from arena.app.games import find_game
from arena.app.lookup import find_version, whole_name
from arena.app.place import Place
from arena.app.rights import actor_of, need_competitor, need_granted_cores, need_remote_service
from arena.match.time_control import TimeControl, parse_time_control
from arena.model.errors import ForbiddenError, RefusedError
from arena.model.planning import LeftOut, PlannedTournament, TournamentRequest
from arena.model.tournaments import ALL, SINGLE_MATCH
from arena.tournament import creation
from arena.tournament.creation import TournamentTerms
from arena.tournament.formats import catalog, seeds
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.roundrobin import Gauntlet
from arena.tournament.formats.swiss import USUAL, Swiss, usual_rounds
from arena.tournament.seed_key import SeedKey
from ratings.ledger.tournaments import TournamentPlan
from ratings.read.tournaments import tournament_names
from ratings.statistics.errors import ResultsError
from ratings.store.models import Tournament

_NAMED = {Gauntlet.name: 1, Compare.name: 2}
"""How many of the entrants come first and are named, by the format."""


def create(place: Place, request: TournamentRequest) -> PlannedTournament:
    """Write the tournament that was asked for.

    Raises RefusedError, ForbiddenError, and the errors of `arena.tournament.creation`; then nothing was written.
    """
    request, left_out = expanded(place, request)
    need_rights(place, request)
    terms = terms_of(request, seed_key(place))
    form = form_of(request)
    bots = [find_version(place, bot).bot for bot in request.bots]
    for bot in bots:
        need_remote_service(place, bot)
    need_granted_cores(place, request.cores, bots)
    tournament = _write(place, request, terms, form)
    return replace(planned(place, tournament, terms), left_out=left_out)


def planned(place: Place, tournament: Tournament, terms: TournamentTerms) -> PlannedTournament:
    """Return a tournament that was written just now, for whoever asked for it.

    An organiser is told the secret that repeats it elsewhere, if its seed alone does not.
    """
    is_keyed = terms.seed is not None and tournament.secret != seeds.secret_from_seed(terms.seed).hex()
    secret = tournament.secret if is_keyed and place.viewer.is_organiser else None
    return PlannedTournament(tournament.id, tournament.name, terms.seed, tournament.seeded, secret)


def plan_ladder(request: TournamentRequest, *, remote: bool = False) -> TournamentPlan:
    """Return how a standing ladder, perhaps of remote bots, is played that was asked for like a tournament.

    Nothing is written. Raises RefusedError, and the errors of `arena.tournament.creation`.
    """
    form = form_of(request)
    if form is None:
        raise RefusedError("a single match is no ladder; ask for the format ladder with 0 waves")
    return creation.plan_ladder(terms_of(request, None), form, remote=remote)


def _write(place: Place, request: TournamentRequest, terms: TournamentTerms, form: Format | None) -> Tournament:
    bots = [whole_name(place.database, place.viewer, bot) for bot in request.bots]
    choose_name = name_chooser(place, request.name, request.kind or request.format)
    if form is None:
        return creation.create_match(place.database, place.programs, terms, bots=bots, choose_name=choose_name)
    return creation.create_tournament(place.database, place.programs, terms, form, bots=bots, choose_name=choose_name)


def expanded(place: Place, request: TournamentRequest) -> tuple[TournamentRequest, tuple[LeftOut, ...]]:
    """Return the request with the bots that `all` means, and which it does not mean.

    Raises RefusedError where `all` stands for a bot that must be named: in a match each seat, in a gauntlet the
    challenger, in a comparison both versions.
    """
    _need_names(request)
    if request.format == SINGLE_MATCH:
        return request, ()
    bots, left_out = expand(place, request.bots, request.game)
    return replace(request, bots=bots, settings=_settled(request, len(bots))), left_out


def _settled(request: TournamentRequest, entrants: int) -> Mapping[str, Any]:
    """Return the settings of the format with what depends on how many enter: the rounds of a Swiss system."""
    if request.format != Swiss.name or request.settings.get("rounds", USUAL) != USUAL:
        return request.settings
    return {**request.settings, "rounds": usual_rounds(entrants, max(2, request.seats))}


def _need_names(request: TournamentRequest) -> None:
    if request.format == SINGLE_MATCH and ALL in request.bots:
        raise RefusedError(
            "'all' stands for every bot in tournaments and comparisons; a match takes one bot for each seat: name them"
        )
    if ALL in request.bots[: _NAMED.get(request.format, 0)]:
        raise RefusedError(
            "'all' stands for the opponents of a challenger or the field of a comparison; "
            "name the challenger, or the versions that are compared"
        )


def need_rights(place: Place, request: TournamentRequest) -> None:
    """Raise ForbiddenError unless the viewer is an organiser, or a competitor who wants to try out his own bots."""
    viewer = place.viewer
    need_competitor(viewer, "create tournaments")
    if viewer.is_organiser:
        return
    if request.secret is not None:
        raise ForbiddenError("only an organiser may say what dice and piles are drawn from; leave the secret out")
    if request.rated:
        raise ForbiddenError("only an organiser may create rated tournaments; add --unrated")
    if not any(viewer.owns(find_version(place, bot).bot.owner_id) for bot in request.bots):
        raise ForbiddenError("none of these bots is yours; name at least one of your own")


def seed_key(place: Place) -> SeedKey:
    """Return the key under which the viewer's seeds work."""
    asker = "" if place.viewer.is_organiser else actor_of(place.viewer)
    return SeedKey.beside(place.programs.store.root, asker)


def terms_of(request: TournamentRequest, key: SeedKey | None) -> TournamentTerms:
    """Return what all matches of a tournament share that was asked for. Raises RefusedError, UnknownGameError."""
    game = find_game(request.game)
    game.check_seats(request.seats)
    return TournamentTerms(
        game=game.name,
        seats=request.seats,
        clock=_clock(request),
        options=request.options,
        opening_plies=request.opening_plies,
        seed=request.seed,
        secret=_secret(request.secret),
        seed_key=key,
        rated=request.rated,
        same_owner=request.same_owner,
        cores=1 if request.cores is None else request.cores,
    )


def _secret(digits: str | None) -> bytes | None:
    """Return the bytes of a secret. Raises RefusedError."""
    if digits is None:
        return None
    try:
        return bytes.fromhex(digits)
    except ValueError:
        raise RefusedError(f"a secret has {2 * seeds.SECRET_BYTES} hexadecimal digits; copy it whole") from None


def _clock(request: TournamentRequest) -> TimeControl:
    start_limit = parse_time_control(request.start_limit)
    if start_limit.has_bank or not start_limit.decision_limit_us:
        raise RefusedError(f"--start-limit {request.start_limit!r} is no duration; write for example --start-limit 30s")
    return parse_time_control(request.time, start_limit_us=start_limit.decision_limit_us)


def form_of(request: TournamentRequest) -> Format | None:
    """Return the format that was asked for, or `None` for a single match. Raises RefusedError, ScheduleError."""
    if request.format == SINGLE_MATCH:
        return None
    catalog.check_settings(request.format, request.settings)
    form = catalog.from_settings(request.format, request.seats, request.settings)
    assert form is not None
    if isinstance(form, Compare):
        try:
            form.settings  # noqa: B018 - making them checks them
        except ResultsError as error:
            raise RefusedError(str(error)) from error
    return form


def name_chooser(place: Place, name: str | None, kind: str) -> creation.ChooseName:
    """Return what names the tournament while it is written. Raise RefusedError at once if the name is taken now."""
    choose_name = partial(_free_name, name, kind)
    choose_name(tournament_names(place.database))
    return choose_name


def _free_name(name: str | None, kind: str, taken: Set[str]) -> str:
    """Return the name that the tournament gets. Raise RefusedError if the one asked for is taken."""
    if name is None:
        return next_name(kind, taken)
    if name in taken:
        raise RefusedError(
            f"there is a tournament {name!r} already; `arena tournament resume {name}` goes on with it, "
            "another --name starts a new one"
        )
    return name


def next_name(kind: str, taken: Set[str]) -> str:
    """Return the first of kind-1, kind-2, ... that is not taken."""
    return next(name for number in range(1, len(taken) + 2) if (name := f"{kind}-{number}") not in taken)
