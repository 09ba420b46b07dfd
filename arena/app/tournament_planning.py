"""Tournaments that a viewer asks for: who takes part, what may be asked for, what would be played, the plan."""

from __future__ import annotations

import math
from collections.abc import Set
from dataclasses import replace

from arena.app.lookup import find_game, find_version, whole_name
from arena.app.policy import (
    AppContext,
    actor_of,
    check_ready,
    need_competitor,
    need_granted_cores,
    need_own_bot,
    need_remote_service,
)
from arena.hosting.errors import HostingError
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.store import StoreError
from arena.match.time_control import parse_time_control
from arena.model.errors import ForbiddenError, RefusedError
from arena.model.tournament_requests import ChallengeRequest, Forecast, LeftOut, PlannedTournament, TournamentRequest
from arena.model.tournaments import ALL, SINGLE_MATCH
from arena.tournament import creation
from arena.tournament.creation import ChooseName, TournamentTerms, longest_match_us
from arena.tournament.errors import RequestError
from arena.tournament.formats import catalog
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.roundrobin import Gauntlet
from arena.tournament.formats.swiss import USUAL, Swiss, usual_rounds
from arena.tournament.registration import check_entrant
from arena.tournament.seed_key import SeedKey
from arena.tournament.stored import check_name
from engine.translatable import Text
from ratings.ledger.tournaments import TournamentPlan, check_plan
from ratings.read.active_versions import active_version
from ratings.read.bots import VersionRow
from ratings.read.planning import (
    CHALLENGER,
    Candidate,
    Unfit,
    candidates,
    count_open_challenges,
    has_played,
    mean_duration,
)
from ratings.read.tournaments import tournament_names
from ratings.statistics.errors import ResultsError
from ratings.store.models import TournamentRecord
from ratings.values.pools import RatingMethod, plays

_NAMED = {Gauntlet.traits.name: 1, Compare.traits.name: 2}
"""How many of the entrants come first and are named, by the format."""
LONGEST_DECISION_US = 10_000_000
LONGEST_BANK_US = 300_000_000
LONGEST_START_US = 60_000_000
_KIND = "challenge"
_WHY = {
    Unfit.DISABLED: Text("it is disabled"),
    Unfit.OWNER_DISABLED: Text("its owner is disabled"),
    Unfit.WITHDRAWN: Text("its version was withdrawn or annulled"),
    Unfit.NOT_ADMITTED: Text("no version of it was admitted"),
    Unfit.FILES_MISSING: Text("its files are not here; add it again"),
}
_REMOTE = Text("it is remote; name it to play with remote bots")
_DIGITS = 16
MOST_TOLD = 100
"""How many bots that were left out are named one by one."""
_SHOWN_DIGITS = 12


def create(context: AppContext, request: TournamentRequest) -> PlannedTournament:
    """Write the tournament that was asked for.

    Raises RefusedError, ForbiddenError, and the errors of `arena.tournament.creation`; then nothing was written.
    """
    request, left_out = expanded(context, request)
    need_rights(context, request)
    terms = terms_of(context, request, seed_key(context))
    form = form_of(request)
    bots = [find_version(context, bot).bot for bot in request.bots]
    for bot in bots:
        need_remote_service(context, bot)
    need_granted_cores(context, request.cores, bots)
    database, programs = context.database, context.programs
    names = [whole_name(database, context.viewer, bot) for bot in request.bots]
    choose_name = name_chooser(context, request.name, request.kind or request.format)
    if form is None:
        tournament = creation.create_match(database, programs, terms, bots=names, choose_name=choose_name)
    else:
        tournament = creation.create_tournament(database, programs, terms, form, bots=names, choose_name=choose_name)
    return replace(planned(context, tournament, terms), left_out=left_out)


def planned(context: AppContext, tournament: TournamentRecord, terms: TournamentTerms) -> PlannedTournament:
    """Return a tournament that was written just now, for whoever asked for it.

    An organiser is told the secret that repeats it elsewhere, if its seed alone does not.
    """
    is_keyed = terms.seed is not None and tournament.secret != seeds.secret_from_seed(terms.seed).hex()
    secret = tournament.secret if is_keyed and context.viewer.is_organiser else None
    return PlannedTournament(tournament.id, tournament.name, terms.seed, tournament.seeded, secret)


def plan_ladder(context: AppContext, request: TournamentRequest, *, remote: bool = False) -> TournamentPlan:
    """Return how a standing ladder, perhaps of remote bots, is played that was asked for like a tournament.

    Nothing is written. Raises RefusedError, and the errors of `arena.tournament.creation`.
    """
    form = form_of(request)
    if form is None:
        raise RefusedError(Text("a single match is no ladder; ask for the format ladder with 0 waves"))
    return creation.plan_ladder(terms_of(context, request, None), form, remote=remote)


def expanded(context: AppContext, request: TournamentRequest) -> tuple[TournamentRequest, tuple[LeftOut, ...]]:
    """Return the request with the bots that `all` means, and which it does not mean.

    Raises RefusedError where `all` stands for a bot that must be named: in a match each seat, in a gauntlet the
    challenger, in a comparison both versions.
    """
    if request.format == SINGLE_MATCH and ALL in request.bots:
        raise RefusedError(
            Text(
                "'all' stands for every bot in tournaments and comparisons; a match takes one bot for each seat: "
                "name them"
            )
        )
    if ALL in request.bots[: _NAMED.get(request.format, 0)]:
        raise RefusedError(
            Text(
                "'all' stands for the opponents of a challenger or the field of a comparison; name the "
                "challenger, or the versions that are compared"
            )
        )
    if request.format == SINGLE_MATCH:
        return request, ()
    bots, left_out = expand(context, request.bots, request.game)
    if request.format != Swiss.traits.name or request.settings.get("rounds", USUAL) != USUAL:
        settings = request.settings
    else:
        settings = {**request.settings, "rounds": usual_rounds(len(bots), max(2, request.seats))}
    return replace(request, bots=bots, settings=settings), left_out


def need_rights(context: AppContext, request: TournamentRequest) -> None:
    """Raise ForbiddenError unless the viewer is an organiser, or a competitor who wants to try out his own bots."""
    viewer = context.viewer
    need_competitor(viewer, "create tournaments")
    if viewer.is_organiser:
        return
    if request.secret is not None:
        raise ForbiddenError(Text("only an organiser may say what dice and piles are drawn from; leave the secret out"))
    if request.rated:
        raise ForbiddenError(Text("only an organiser may create rated tournaments; add --unrated"))
    if not any(viewer.owns(find_version(context, bot).bot.owner_id) for bot in request.bots):
        raise ForbiddenError(Text("none of these bots is yours; name at least one of your own"))


def seed_key(context: AppContext) -> SeedKey:
    """Return the key under which the viewer's seeds work."""
    asker = "" if context.viewer.is_organiser else actor_of(context.viewer)
    return SeedKey.beside(context.programs.store.root, asker)


def terms_of(context: AppContext, request: TournamentRequest, key: SeedKey | None) -> TournamentTerms:
    """Return what all matches of a tournament share that was asked for. Raises RefusedError, UnknownGameError."""
    game = find_game(request.game)
    game.check_seats(request.seats)
    start_limit = parse_time_control(request.start_limit)
    if start_limit.has_bank or not start_limit.decision_limit_us:
        raise RefusedError(
            Text(
                "--start-limit {text} is no duration; write for example --start-limit 30s",
                text=repr(request.start_limit),
            )
        )
    clock = parse_time_control(request.time, start_limit_us=start_limit.decision_limit_us)
    try:
        secret = None if request.secret is None else bytes.fromhex(request.secret)
    except ValueError:
        raise RefusedError(
            Text("a secret has {digits} hexadecimal digits; copy it whole", digits=2 * seeds.SECRET_BYTES)
        ) from None
    return TournamentTerms(
        game=game.name,
        seats=request.seats,
        clock=clock,
        options=request.options,
        opening_plies=request.opening_plies,
        openings=request.openings,
        seed=request.seed,
        secret=secret,
        seed_key=key,
        rated=request.rated,
        same_owner=request.same_owner,
        cores=1 if request.cores is None else request.cores,
        rating_method=_rating_method(context, request.rating_method),
    )


def _rating_method(context: AppContext, name: str | None) -> RatingMethod:
    try:
        return RatingMethod(name) if name else context.rating_method()
    except ValueError:
        raise RefusedError(
            Text("there is no rating method {name}; use {known}", name=repr(name), known=", ".join(RatingMethod))
        ) from None


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


def name_chooser(context: AppContext, name: str | None, kind: str) -> creation.ChooseName:
    """Return what names the tournament while it is written. Raise RefusedError at once if the name is taken now."""

    def choose(taken: Set[str]) -> str:
        if name is None:
            return next_name(kind, taken)
        if name in taken:
            raise RefusedError(
                Text(
                    "there is a tournament {name} already; `arena tournament resume {name_2}` goes on with it, "
                    "another --name starts a new one",
                    name=repr(name),
                    name_2=name,
                )
            )
        return name

    choose(tournament_names(context.database))
    return choose


def next_name(kind: str, taken: Set[str]) -> str:
    """Return the first of kind-1, kind-2, ... that is not taken."""
    return next(name for number in range(1, len(taken) + 2) if (name := f"{kind}-{number}") not in taken)


USUAL_TIME, USUAL_REMOTE_TIME = "100ms", "1s"
"""How long a decision may take unless the request says so; a remote bot pays for the way over the network, too."""


def challenge(context: AppContext, request: ChallengeRequest) -> PlannedTournament:
    """Write the tournament of a challenge. After an error nothing was written.

    Raises ForbiddenError for a bot that is not the viewer's, RefusedError for one that cannot play now, a clock that
    lasts for long, too many matches or too many open challenges, and the errors of `arena.tournament.creation`.
    """
    own = _playing(context, request.bot)
    need_own_bot(context.viewer, own.bot, Text("challenge with it"))
    entrants = [own, *(_playing(context, text) for text in request.opponents)]
    usual_time = USUAL_REMOTE_TIME if any(one.bot.remote for one in entrants) else USUAL_TIME
    terms = terms_of(context, _order(request, request.time or usual_time), seed_key(context))
    if not context.viewer.is_organiser:
        # With a slow clock, a bot that does nothing would hold slots and opponents for hours.
        clock = terms.clock
        if (
            not (clock.has_bank or clock.decision_limit_us)
            or max(clock.decision_limit_us, clock.increment_us) > LONGEST_DECISION_US
            or clock.bank_us > LONGEST_BANK_US
            or clock.start_limit_us > LONGEST_START_US
        ):
            raise RefusedError(
                Text(
                    "a challenge takes time of others: a decision or an increment has 10 s at most, a bank 300 s, "
                    "and a start 60 s; use --time 10s, or less"
                )
            )
    for one in entrants:
        check_ready(context, one)
    form = Gauntlet(request.seats, request.blocks)
    form.check(len(entrants))
    # Each combination of opponents plays `blocks` blocks, and each block is played in every rotation.
    matches = math.comb(len(entrants) - 1, request.seats - 1) * request.blocks * request.seats
    most = context.challenges.challenge_matches
    if most and matches > most:
        raise RefusedError(
            Text(
                "these are {matches} matches, and a challenge has {most} at most; ask for fewer --blocks, or "
                "challenge fewer bots",
                matches=matches,
                most=most,
            )
        )
    tournament = creation.create_tournament(
        context.database,
        context.programs,
        terms,
        form,
        bots=[f"{one.bot.name}@{one.version.content_hash[:_DIGITS]}" for one in entrants],
        choose_name=_limited(context, name_chooser(context, None, _KIND)),
        notes={CHALLENGER: actor_of(context.viewer)},
    )
    return planned(context, tournament, terms)


def _playing(context: AppContext, text: str) -> VersionRow:
    """Return the version that is meant: without a hash, that of a bot of the viewer's that is newest.

    Of a remote bot, and of another owner's, it is the one that plays on ladders, if there is one.
    """
    found = find_version(context, text)
    is_own_hosted = context.viewer.owns(found.bot.owner_id) and not found.bot.remote
    if "@" in text or (is_own_hosted and not context.viewer.is_organiser):
        return found
    active = active_version(context.database, found.bot.name)
    return found if active is None else VersionRow(found.bot, active)


def _limited(context: AppContext, choose_name: ChooseName) -> ChooseName:
    """Return what names the tournament while nobody else can write one, unless its owner has enough open challenges."""
    most = context.challenges.open_challenges

    def choose(taken: Set[str]) -> str:
        open_now = (
            0 if context.viewer.is_organiser else count_open_challenges(context.database, actor_of(context.viewer))
        )
        if most and open_now >= most:
            raise RefusedError(
                Text(
                    "{count} of your challenges are not over, and {most} may be; wait for one, or give one up: "
                    "arena tournament cancel NAME",
                    count=open_now,
                    most=most,
                )
            )
        return choose_name(taken)

    return choose


def _order(request: ChallengeRequest, time: str) -> TournamentRequest:
    return TournamentRequest(
        format=Gauntlet.traits.name,
        game=request.game,
        seats=request.seats,
        bots=(),
        time=time,
        start_limit=request.start_limit,
        options=request.options,
        opening_plies=request.opening_plies,
        seed=request.seed,
        rated=False,
    )


def expand(context: AppContext, bots: tuple[str, ...], game: str) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Return the entrants with every bot that can play the game in the place of `all`, and which were left out, why.

    They come by name, each by the hash of the version that plays; a version that is named besides is entered there
    alone. Without `all` nothing changes. Raises RefusedError if nobody is left, and the errors of `find_version`.
    """
    if ALL not in bots:
        return bots, ()
    named = {find_version(context, bot).version.id for bot in bots if bot != ALL}
    entered, left_out = list[str](), list[LeftOut]()
    for one in candidates(context.database):
        if one.version.id in named:
            continue
        why = _why_not(context, one, game)
        if why is None:
            entered.append(f"{one.bot.name}@{one.version.content_hash[:_DIGITS]}")
        else:
            left_out.append(LeftOut(one.bot.name, why))
    if not entered:
        raise RefusedError(
            Text("no bot here besides those named can play {game}; `arena bot add DIRECTORY` adds one", game=game)
        )
    if (more := len(left_out) - MOST_TOLD) > 0:
        why = Text("too many to be named one by one; `arena bot list` shows them")
        left_out[MOST_TOLD:] = [LeftOut(f"+{more}", why)]
    first = bots.index(ALL)
    rest = tuple(bot for bot in bots[first + 1 :] if bot != ALL)
    return (*bots[:first], *entered, *rest), tuple(left_out)


def _why_not(context: AppContext, one: Candidate, game: str) -> str | None:
    """Return why a bot cannot play the game, in half a sentence, or `None` if it can."""
    if one.unfit is not None:
        return _WHY[one.unfit]
    if not plays(one.version.manifest, game, find_game(game).rules_version):
        return Text("it does not play {game}", game=game)
    if one.bot.remote:
        return _REMOTE
    try:
        check_entrant(context.programs, VersionRow(one.bot, one.version), game, one.bot.name)
    except (BotDirectoryError, HostingError, RequestError, StoreError) as error:
        return str(error)
    return None


class LocalForecasts:
    """Implements the interface `arena.model.port.Forecasts`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def forecast_tournament(self, request: TournamentRequest) -> Forecast:
        context = self._context
        request, left_out = expanded(context, request)
        need_rights(context, request)
        terms, form = terms_of(context, request, seed_key(context)), form_of(request)
        for bot in request.bots:
            need_remote_service(context, find_version(context, bot).bot)
        if request.name is not None:
            check_name(request.name)
        name_chooser(context, request.name, request.kind or request.format)  # refuses a name that is taken
        bots = [whole_name(context.database, context.viewer, bot) for bot in request.bots]
        if form is None:
            draft = creation.draft_match(context.database, context.programs, terms, bots=bots)
        else:
            draft = creation.draft_tournament(context.database, context.programs, terms, form, bots=bots)
        check_plan(context.database, draft.plan)
        matches, is_most = draft.count_matches()
        pool_id = draft.plan.pool.pool_id
        played, duration_us = mean_duration(context.database, pool_id, {one.version.id for one in draft.entrants})
        usual_us = longest_match_us(draft.draw.game, terms.seats, terms.clock)
        return Forecast(
            format=request.format,
            pool=draft.plan.pool,
            is_new_pool=not has_played(context.database, pool_id),
            bots=tuple(f"{one.bot.name}@{one.version.content_hash[:_SHOWN_DIGITS]}" for one in draft.entrants),
            left_out=left_out,
            matches=matches,
            is_most=is_most,
            match_us=duration_us if played else usual_us,
            measured=played,
        )
