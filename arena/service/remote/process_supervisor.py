"""Keeps the process of remote bots running, and passes on to it who may join; knows and logs who is connected."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from arena.executor.remote_bots_process import RemoteOptions, RemoteProcess
from arena.match.decisions import JoinRequest
from arena.service.logs import Logger
from arena.service.remote.join_interface import (
    FindOtherService,
    JoinPolicy,
    JoinRefusal,
    Presence,
    bot_refusal,
    no_other_service,
)
from arena.service.server.authentication import address_of
from arena.service.task_supervision import Health, KnownProblems, ProcessRestarts, describe
from engine.translatable import to_json

PART = "remote bots"
LOOK_EVERY_S = 2.0
"""How often it is looked whether the tokens of those who are there are still worth something."""
STOP_GRACE_S = 8.0

FindDead = Callable[[Collection[str]], Awaitable[Collection[str]]]
"""Returns those of some tokens (digests) that are worth nothing any more."""
REFUSAL_WINDOW_S = 60.0
MOST_REFUSAL_KINDS = 1000
"""How many kinds of refusals are told apart within a window; those beyond are only counted."""
_SHOWN = 80
_OF_STRANGERS = frozenset({"TOKEN_UNKNOWN", "TOO_MANY_LOGINS"})
"""The reasons for which nobody knows whose token it is: a stranger may show another one each time."""


class RemoteProcessSupervisor:
    """Implements `JoinHandler` of `arena.executor.remote_bots_process`; `run` keeps that process alive."""

    def __init__(
        self,
        options: RemoteOptions,
        make_policy: Callable[[RemoteProcess], JoinPolicy],
        presence: Presence,
        find_dead: FindDead,
        *,
        health: Health,
        log: Logger,
        other_service: FindOtherService = no_other_service,
    ) -> None:
        """`make_policy` returns who decides, who may ask the process what goes on in it.

        Whoever is here goes when another service takes bots and people.
        """
        self._other_service = other_service
        self._presence = presence
        self._find_dead = find_dead
        self._health = health
        self._log = log
        self._refusals = RefusalLog(log)
        self._restarts = ProcessRestarts(PART, health, log)
        self._problems = KnownProblems()
        self._answers: set[asyncio.Task[None]] = set()
        self._digests: dict[str, str] = {}
        """The token of each version that is there."""
        self._has_begun = asyncio.Event()
        self._is_stopping = False
        self.process = RemoteProcess(options, self, self._note_ready)
        self._policy = make_policy(self.process)

    async def run(self) -> None:
        """Keep the process running until this task is cancelled, which ends it in order."""
        serving = asyncio.create_task(self._serve())
        looking = asyncio.create_task(self._look_at_tokens())
        try:
            done, _ = await asyncio.wait({serving, looking}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            looking.cancel()
            self._is_stopping = True
            self.process.stop()
            await asyncio.wait({serving}, timeout=STOP_GRACE_S)
            self.process.kill()
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    async def wait_until_begun(self) -> int:
        """Return the port on which bots are taken, as soon as they are; 0 if the first process fails."""
        await self._has_begun.wait()
        return self.process.port

    async def _serve(self) -> None:
        while True:
            was_ready, words = await self.process.run()
            self._has_begun.set()
            if self._is_stopping:
                return
            await self._restarts.pause(words, was_ready=was_ready)

    def _note_ready(self) -> None:
        self._has_begun.set()
        self._health.clear(PART)

    # Who may join.

    def ask(self, question: int, application: Mapping[str, Any]) -> None:
        """Have the policy decide in the background."""
        task = asyncio.create_task(self._answer(question, application))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def _answer(self, question: int, application: Mapping[str, Any]) -> None:
        request = JoinRequest(**{**application, "games": tuple(application["games"])})
        try:
            grant = await self._policy.admit(request)
            about = {"bot": grant.bot, "version": grant.content_hash, "games": list(grant.games)}
            self.process.admit(question, {**about, "digest": grant.token_digest})
        except JoinRefusal as refusal:
            self._refusals.note(request, refusal)
            self.process.refuse(question, _refusal_json(refusal))
        except Exception as error:  # a fault of ours: the bot tries again, and the service goes on
            self._log.error("no decision about a remote bot", error=describe(error), exc_info=error)
            busy = {"code": "UNAVAILABLE", "reason": "BUSY", "message": "the service failed at this; try again"}
            self.process.refuse(question, busy)

    def note_presence(self, version: str, digest: str, room: int | None) -> None:
        """Note that a version is here, or gone; who wants no new match is here only for what may end its stream."""
        if room is None:
            self._digests.pop(version, None)
        elif digest:  # whoever sits in the seat of a person has shown no token
            self._digests[version] = digest
        if room:
            self._presence.set_room(version, room)
        else:
            self._presence.remove(version)

    def note_all_gone(self) -> None:
        """Note that nobody is here any more."""
        self._digests.clear()
        self._presence.clear()

    def _send_away_if_taken_elsewhere(self) -> None:
        holder = self._other_service()
        if holder is not None and (self._digests or self._presence.connected()):
            self.process.end_all(_refusal_json(bot_refusal(holder)))

    async def _look_at_tokens(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            self._refusals.end_window_if_over()
            self._send_away_if_taken_elsewhere()
            if not self._digests:
                continue
            try:
                dead = await self._find_dead(frozenset(self._digests.values()))
            except Exception as error:  # the database is busy: the next look finds the same
                if self._problems.is_new("tokens", describe(error)):
                    self._log.warning("tokens of remote bots were not looked at", error=describe(error))
                continue
            self._problems.end("tokens")
            if dead:
                self.process.end_tokens(dead)


def _refusal_json(refusal: JoinRefusal) -> dict[str, Any]:
    return {"code": refusal.code, "reason": refusal.reason, "message": to_json(refusal.message)}


_Kind = tuple[str, str]


class RefusalLog:
    """Writes a refusal of each kind once within a window, and at its end how many more there were.

    Of one kind are those with the same reason and token, or of strangers the same reason and address.
    """

    def __init__(self, log: Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._since = clock()
        self._told: dict[_Kind, str] = {}
        """The name of the bot that was told of, by kind."""
        self._repeated: dict[_Kind, int] = {}

    def note(self, request: JoinRequest, refusal: JoinRefusal) -> None:
        """Write that a bot was refused, or count it if one of its kind was written of within the window."""
        self.end_window_if_over()
        if refusal.reason in _OF_STRANGERS:
            kind = refusal.reason, address_of(request.peer) or ""
        else:
            kind = refusal.reason, hashlib.sha256(request.token.encode(errors="replace")).hexdigest()
        if kind not in self._told and len(self._told) < MOST_REFUSAL_KINDS:
            self._told[kind] = request.name[:_SHOWN]
            self._log.info("remote bot refused", bot=self._told[kind], why=refusal.message)
            return
        if kind not in self._told:
            kind = (refusal.reason, "")
        self._repeated[kind] = self._repeated.get(kind, 0) + 1

    def end_window_if_over(self) -> None:
        """Write how many more were refused in a window that is over."""
        if self._clock() < self._since + REFUSAL_WINDOW_S:
            return
        for kind, times in self._repeated.items():
            bot = self._told.get(kind, "many")
            self._log.info("remote bot refused again", bot=bot, reason=kind[0], times=times)
        self._since = self._clock()
        self._told.clear()
        self._repeated.clear()
