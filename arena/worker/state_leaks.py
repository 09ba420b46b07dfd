"""Asks fresh processes of a bot what its used process was asked, to find out if it remembers earlier matches."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from arena.hosting.errors import HostingError
from arena.match.leak_check import Retrial, Trial, compare
from arena.match.replay import WrittenReplay
from arena.match.spec import MatchSpec
from arena.match.worker_report import LeakCheckResult
from arena.referee.stream import Closed, Flood, Inbox, Offence, StreamClosedError
from arena.wire.messages import MatchEncoder
from arena.worker.blame import StartError
from arena.worker.warm_bot import WarmBot
from arena.worker.warm_bots import WarmBots
from engine.translatable import Text

PATIENCE_S = 10.0
"""Added to the limit of a decision; nobody is punished for the time that a retrial takes."""
UNTIMED_PATIENCE_S = 60.0


def draw_one(match_id: str, seats: Sequence[int]) -> Sequence[int]:
    """Return one of the seats, chosen by the match id: each costs a process or two, and other matches choose others."""
    if not seats:
        return ()
    number = int.from_bytes(hashlib.sha256(match_id.encode()).digest()[8:16], "big")
    return (seats[number % len(seats)],)


async def check_leaks(
    bots: WarmBots, spec: MatchSpec, replay: WrittenReplay, seats: Sequence[int]
) -> tuple[LeakCheckResult, ...]:
    """Replay a match for each of the seats alone and compare the answers. Never raises: the match itself is over.

    A fresh process that answers as the used one did settles it. A second one is asked only when the first did not: two
    that agree distinguish a bot that remembers from one that is not deterministic.
    """
    checks = []
    document = replay.document() if seats else {}
    for seat in seats:
        trials = [await _try(bots, Retrial(spec, document, seat), spec, seat)]
        if trials[0].deviations:
            trials.append(await _try(bots, Retrial(spec, document, seat), spec, seat))
        checks.append(compare(seat, trials))
    return tuple(checks)


async def _try(bots: WarmBots, retrial: Retrial, spec: MatchSpec, seat: int) -> Trial:
    try:
        bot = await bots.start_alone(spec.seats[seat], spec)
    except StartError as error:
        return Trial(unanswered=Text("A fresh process did not start: {why}", why=error.explanation))
    except HostingError as error:
        return Trial(unanswered=Text("The host could not start a fresh process: {why}.", why=error))
    try:
        why = await _play(retrial, bot, spec, seat)
    except StreamClosedError as error:
        why = Text("A fresh process was lost: {why}", why=error)
    finally:
        bot.stream.detach()
        bots.end(bot)
    return Trial(tuple(retrial.deviations), why)


async def _play(retrial: Retrial, bot: WarmBot, spec: MatchSpec, seat: int) -> str:
    """Ask and judge to the end; return one sentence if that was impossible, else an empty string."""
    encoder, inbox = bot.stream.framing.encoder(retrial.match, MatchEncoder(retrial.match)), Inbox()
    bot.stream.attach(inbox, seat)
    await bot.stream.send(encoder.started(seat))
    retrial.begin()
    while (decision := retrial.ask()) is not None:
        patience_s = UNTIMED_PATIENCE_S
        if decision.time_limit_us:
            patience_s = (decision.time_limit_us + spec.clock.margin_us) / 1_000_000 + PATIENCE_S
        await bot.stream.send(encoder.decide(decision))
        arrival = await inbox.get(asyncio.get_running_loop().time() + patience_s)
        if arrival is None:
            return Text("A fresh process did not answer within {seconds} s.", seconds=f"{patience_s:g}")
        if isinstance(arrival.what, Closed | Flood | Offence):
            return Text("A fresh process ended, or sent more than it was asked.")
        retrial.judge(arrival.what)
    return ""
