"""Plans the matches of an admission, which belong to no tournament. Pure: equal requests plan equal matches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.service.admission.values import AdmissionRequest
from arena.trial.trials import TrialMatch, TrialSetup

_SEED_BITS = 53


def first_bout(request: AdmissionRequest) -> TrialMatch:
    """Return the match that shows whether the bot starts at all."""
    ground = request.grounds[0]
    return _bout(request, "first", ground, [request.bot, *_samples(request, ground.seats - 1)])


def playing_bouts(request: AdmissionRequest, grounds: Iterable[TrialSetup]) -> list[TrialMatch]:
    """Return the matches that show whether it can play on the grounds: alone, in the first seat and in the last."""
    bouts = []
    for ground in grounds:
        others = _samples(request, ground.seats - 1)
        bouts += [
            _bout(request, "self", ground, [request.bot] * ground.seats),
            _bout(request, "first-seat", ground, [request.bot, *others]),
            _bout(request, "last-seat", ground, [*reversed(others), request.bot]),
        ]
    return bouts


def clock_bouts(request: AdmissionRequest) -> list[TrialMatch]:
    """Return one match of each game under the tight clock, with processes that end with it."""
    rival = request.rival or request.samples[0]
    bouts = []
    for ground in one_of_each_game(request.grounds):
        others = [rival, *_samples(request, ground.seats)][: ground.seats - 1]
        bout = _bout(request, "clock", ground, [request.bot, *others], request.tight_clock)
        bouts.append(replace(bout, spec=replace(bout.spec, uses_fresh_bots=True)))
    return bouts


def repeated_bouts(request: AdmissionRequest) -> list[tuple[TrialMatch, TrialMatch]]:
    """Return a match of each game twice, for new processes; nothing if the bot promises no equal answers."""
    if not request.bot.is_deterministic:
        return []
    alone = [_bout(request, "twice", g, [request.bot] * g.seats) for g in one_of_each_game(request.grounds)]
    once = [replace(bout, spec=replace(bout.spec, uses_fresh_bots=True)) for bout in alone]
    return [(bout, bout.with_fresh_bots()) for bout in once]


def memory_bouts(request: AdmissionRequest) -> list[TrialMatch]:
    """Return a match of each game after which the bot is asked again in new processes, if it promises equal answers."""
    if not request.bot.is_deterministic:
        return []
    bouts = []
    for ground in one_of_each_game(request.grounds):
        bout = _bout(request, "again", ground, [request.bot, *_samples(request, ground.seats - 1)])
        bouts.append(replace(bout, spec=replace(bout.spec, checks_leaks=True)))
    return bouts


def one_of_each_game(grounds: Sequence[TrialSetup]) -> list[TrialSetup]:
    """Return the first ground of each game."""
    first: dict[str, TrialSetup] = {}
    for ground in grounds:
        first.setdefault(ground.game, ground)
    return list(first.values())


def _samples(request: AdmissionRequest, count: int) -> list[SeatSpec]:
    return [request.samples[index % len(request.samples)] for index in range(count)]


def _bout(
    request: AdmissionRequest,
    kind: str,
    ground: TrialSetup,
    seats: Sequence[SeatSpec],
    clock: TimeControl | None = None,
) -> TrialMatch:
    name = f"{request.admission_id}-{kind}-{ground.game}-{ground.seats}"
    spec = MatchSpec(
        match_id=name,
        attempt=1,
        game=ground.game,
        rules_version=ground.rules_version,
        options=ground.options,
        clock=clock or request.clock,
        cores=1,
        chance_seed=_draw(request.seed, kind, ground, "chance"),
        opening=(),
        seats=tuple(
            replace(seat, seed=_draw(request.seed, kind, ground, f"bot {index}")) for index, seat in enumerate(seats)
        ),
        keeps_logs=True,
    )
    return TrialMatch(ground, spec, tuple(index for index, seat in enumerate(seats) if seat is request.bot))


def _draw(seed: int, kind: str, ground: TrialSetup, what: str) -> int:
    digest = hashlib.sha256(f"{seed}/{kind}/{ground.game}/{ground.seats}/{what}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - _SEED_BITS)
