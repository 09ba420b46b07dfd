"""Plans challenges: the viewer's bot against others, unrated, if all of them can play now."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

from arena.app.creating import name_chooser, planned, seed_key, terms_of
from arena.app.lookup import find_version
from arena.app.place import Place
from arena.app.readiness import check_ready
from arena.app.rights import actor_of, need_own_bot
from arena.match.time_control import TimeControl
from arena.model.errors import RefusedError
from arena.model.planning import ChallengeRequest, PlannedTournament, TournamentRequest
from arena.tournament import creation
from arena.tournament.creation import ChooseName
from arena.tournament.formats.roundrobin import Gauntlet
from ratings.read.bots import NamedVersion
from ratings.read.challenges import CHALLENGER, count_open_challenges
from ratings.read.lineage import active_version

LONGEST_DECISION_US = 10_000_000
LONGEST_BANK_US = 300_000_000
LONGEST_START_US = 60_000_000
USUAL_TIME, USUAL_REMOTE_TIME = "100ms", "1s"
"""How long a decision may take unless the request says so; a remote bot pays for the way over the network, too."""
_KIND = "challenge"
_DIGITS = 16


def challenge(place: Place, request: ChallengeRequest) -> PlannedTournament:
    """Write the tournament of a challenge. After an error nothing was written.

    Raises ForbiddenError for a bot that is not the viewer's, RefusedError for one that cannot play now, a clock that
    lasts for long, too many matches or too many open challenges, and the errors of `arena.tournament.creation`.
    """
    own = _playing(place, request.bot)
    need_own_bot(place.viewer, own.bot, "challenge with it")
    entrants = [own, *(_playing(place, text) for text in request.opponents)]
    terms = terms_of(_order(request, request.time or _usual_time(entrants)), seed_key(place))
    if not place.viewer.is_organiser:
        _check_clock(terms.clock)
    for one in entrants:
        check_ready(place, one)
    form = Gauntlet(request.seats, request.blocks)
    form.check(len(entrants))
    _check_size(request, len(entrants), place.challenges.challenge_matches)
    tournament = creation.create_tournament(
        place.database,
        place.programs,
        terms,
        form,
        bots=[f"{one.bot.name}@{one.version.content_hash[:_DIGITS]}" for one in entrants],
        choose_name=_limited(place, name_chooser(place, None, _KIND)),
        notes={CHALLENGER: actor_of(place.viewer)},
    )
    return planned(place, tournament, terms)


def _playing(place: Place, text: str) -> NamedVersion:
    """Return the version that is meant: without a hash, that of a bot of the viewer's that is newest.

    Of a remote bot, and of another owner's, it is the one that plays on ladders, if there is one.
    """
    found = find_version(place, text)
    is_own_hosted = place.viewer.owns(found.bot.owner_id) and not found.bot.remote
    if "@" in text or (is_own_hosted and not place.viewer.is_organiser):
        return found
    active = active_version(place.database, found.bot.name)
    return found if active is None else NamedVersion(found.bot, active)


def _usual_time(entrants: Sequence[NamedVersion]) -> str:
    return USUAL_REMOTE_TIME if any(one.bot.remote for one in entrants) else USUAL_TIME


def _check_clock(clock: TimeControl) -> None:
    """Raise RefusedError for a clock with which a bot that does nothing would hold slots and opponents for hours."""
    is_endless = not (clock.has_bank or clock.decision_limit_us)
    longest_us = max(clock.decision_limit_us, clock.increment_us)
    if (
        is_endless
        or longest_us > LONGEST_DECISION_US
        or clock.bank_us > LONGEST_BANK_US
        or clock.start_limit_us > LONGEST_START_US
    ):
        raise RefusedError(
            "a challenge takes time of others: a decision or an increment has 10 s at most, a bank 300 s, and a start "
            "60 s; use --time 10s, or less"
        )


def _check_size(request: ChallengeRequest, entrants: int, most: int) -> None:
    # Each combination of opponents plays `blocks` blocks, and each block is played in every rotation.
    matches = math.comb(entrants - 1, request.seats - 1) * request.blocks * request.seats
    if most and matches > most:
        raise RefusedError(
            f"these are {matches} matches, and a challenge has {most} at most; ask for fewer --blocks, or "
            "challenge fewer bots"
        )


def _limited(place: Place, choose_name: ChooseName) -> ChooseName:
    """Return what names the tournament while nobody else can write one, unless its owner has enough open challenges."""
    most = place.challenges.open_challenges

    def choose(taken: Set[str]) -> str:
        open_now = 0 if place.viewer.is_organiser else count_open_challenges(place.database, actor_of(place.viewer))
        if most and open_now >= most:
            raise RefusedError(
                f"{open_now} of your challenges are not over, and {most} may be; wait for one, or give one up: "
                "arena tournament cancel NAME"
            )
        return choose_name(taken)

    return choose


def _order(request: ChallengeRequest, time: str) -> TournamentRequest:
    return TournamentRequest(
        format=Gauntlet.name,
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
