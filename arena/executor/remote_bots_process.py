"""Plays matches with remote bots in a process of its own, seen from the coordinator. It never imports gRPC.

`arena.remote.match_worker` is the other end of the pipe and describes the messages.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from arena.executor.child_handle import ChildProcess
from arena.executor.interface import ExecutorFailedError, NotBegunError, NotWatchableError
from arena.executor.worker_handle import ExecutorJob
from arena.hosting.framed_pipe import FrameError
from arena.match.live import LiveEvent, read_live
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from engine.translatable import Text


@dataclass(frozen=True, slots=True)
class RemoteOptions:
    """Where remote bots connect, and how long matches wait for them."""

    address: str
    """Where bots connect over TLS; empty if none do, and only people's seats are taken, at the socket."""
    certificate: str
    key: str
    patience_s: float
    hosted_matches: int
    """How many matches may have hosted bots beside remote ones at once."""
    warm_mb: int
    """How many megabytes their idle processes may hold."""
    socket: str = ""
    """Where the seats of people are taken, if any are."""

    def words(self) -> Sequence[str]:
        """Return them as words of a command line."""
        endpoint = ("--address", self.address, "--certificate", self.certificate, "--key", self.key)
        socket = ("--socket", self.socket) if self.socket else ()
        bounds = ("--hosted-matches", str(self.hosted_matches), "--warm-memory", str(self.warm_mb))
        return (*(endpoint if self.address else ()), *socket, "--patience", f"{self.patience_s:g}", *bounds)


class JoinHandler(Protocol):
    """Decides who may join, and is told which remote bots are here."""

    def ask(self, question: int, application: Mapping[str, Any]) -> None:
        """Take the question whether a bot may join, which `RemoteProcess.admit` or `refuse` answers."""

    def note_presence(self, version: str, digest: str, room: int | None) -> None:
        """Note that a version is here, with which token (its digest), wants no new match (0), or is gone (None)."""

    def note_all_gone(self) -> None:
        """Note that the process has ended, and nobody is here any more."""


class RemoteProcess:
    """The process, which can be started again after its death, and the matches that it plays; a match waits for it."""

    def __init__(
        self, options: RemoteOptions, join_handler: JoinHandler, on_ready: Callable[[], None] = lambda: None
    ) -> None:
        """Call `on_ready` whenever bots can connect."""
        self._options = options
        self._join_handler = join_handler
        self._on_ready = on_ready
        self._child = ChildProcess(self._command, self._handle, self._fall_silent, says_that_it_goes_on=True)
        self._jobs: dict[int, ExecutorJob] = {}  # by ticket
        self._begun: set[int] = set()  # the tickets of the matches whose bots were all there
        self._failure: Exception | None = None
        self._is_ready = False
        self.port = 0  # where it listens, once it was ready: its next life listens there again

    # The process.

    async def run(self) -> tuple[bool, str]:
        """Start the process, serve it until it dies, and return whether it was ready, and its last words.

        The matches that it plays at its death are lost; those that wait for their bots wait for its next life.
        """
        was_ready, code = await self._child.run()
        for ticket in self._begun:
            self._jobs.pop(ticket).fail(self._child.describe_death(code))
        self._begun.clear()
        return was_ready, self._child.last_words() or Text("exit status {status}", status=code)

    def stop(self) -> None:
        """Have it tell its bots that the service stops, and end; `run` returns then. What still waits fails."""
        self._failure = ExecutorFailedError("remote bots are not taken any more")
        self._child.stop()
        for job in self._jobs.values():
            job.fail(self._failure)

    def kill(self) -> None:
        """End it at once."""
        self._child.kill()

    def drain(self) -> None:
        """Let no match begin any more: those that wait for their bots end with NotBegunError."""
        self._failure = NotBegunError()
        self._child.send({"do": "drain"})
        for ticket, job in self._jobs.items():
            if ticket not in self._begun:
                job.fail(NotBegunError())

    # Who may join.

    def admit(self, question: int, guest: Mapping[str, Any]) -> None:
        """Let the bot join that asked."""
        self._child.send({"do": "admit", "question": question, "guest": guest})

    def refuse(self, question: int, refusal: Mapping[str, str]) -> None:
        """Send the bot away that asked."""
        self._child.send({"do": "refuse", "question": question, "refusal": refusal})

    def end_tokens(self, digests: Iterable[str]) -> None:
        """End the streams of those who came with these tokens."""
        self._child.send({"do": "end_tokens", "digests": sorted(digests)})

    def end_all(self, refusal: Mapping[str, str]) -> None:
        """End the streams of all bots and people, and tell them why."""
        self._child.send({"do": "end_all", "refusal": refusal})

    # Matches.

    def has(self, match_id: str) -> bool:
        """Return whether the match is played here, or waits for its bots."""
        return self._find(match_id) is not None

    def count_other_versions(self, bot: str, version: str) -> int:
        """Return how many matches go on in which a bot plays as another version than that."""
        specs = (self._jobs[ticket].spec for ticket in self._begun)
        return sum(any(seat.name == bot and seat.version != version for seat in spec.seats) for spec in specs)

    async def run_match(self, spec: MatchSpec) -> MatchReport:
        """Play one match when its remote bots are here. Raises MatchLostError, NotBegunError, ExecutorFailedError."""
        if self._failure is not None:
            raise self._failure
        job = ExecutorJob(spec, self._update_watch)
        self._jobs[job.ticket] = job
        self._send(job)
        try:
            return await job.report
        finally:
            if self._jobs.pop(job.ticket, None) is not None:
                self._child.send({"do": "cancel", "ticket": job.ticket})
            self._begun.discard(job.ticket)

    def cancel(self, match_id: str) -> None:
        """End a match without a report: its `run_match` raises MatchLostError. Unknown ids are ignored."""
        if (job := self._find(match_id)) is not None:
            job.fail(MatchLostError(Text("cancelled"), HostCause.CANCELLED))

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        """Return the events of a match, as `LocalExecutor.watch` does. Raises NotWatchableError."""
        if (job := self._find(match_id)) is None:
            raise NotWatchableError(match_id)
        return job.channel.watch(after, logs)

    def _find(self, match_id: str) -> ExecutorJob | None:
        return next((job for job in self._jobs.values() if job.spec.match_id == match_id), None)

    def _command(self) -> list[str]:
        # -P: a folder named arena in the current directory is not ours.
        return [sys.executable, "-P", "-m", "arena.remote", *self._options.words()]

    def _send(self, job: ExecutorJob) -> None:
        if self._is_ready:
            self._child.send({"do": "play", "ticket": job.ticket, "spec": job.spec.to_json()})
            if job.channel.is_watched:
                self._update_watch(job)

    def _update_watch(self, job: ExecutorJob) -> None:
        if self._is_ready and job.ticket in self._jobs:
            logs = {"logs": job.channel.wanted_logs} if job.channel.is_watched else {}
            self._child.send({"do": "watch" if logs else "unwatch", "ticket": job.ticket, **logs})

    def _fall_silent(self) -> None:
        self._is_ready = False
        self._join_handler.note_all_gone()

    def _handle(self, head: Mapping[str, Any], blob: bytes) -> None:
        event = head["event"]
        if event == "ready":
            self._become_ready(head["port"])
        elif event == "join":
            self._join_handler.ask(head["question"], head["application"])
        elif event == "presence":
            self._join_handler.note_presence(head["version"], head["digest"], head["room"])
        elif (job := self._jobs.get(head["ticket"])) is not None:  # else it was cancelled in this moment
            if event == "live":
                job.channel.publish([read_live(head["live"], blob)])
            elif event == "begun":
                self._begun.add(job.ticket)
            elif event == "returned":
                self._take_out(job).fail(NotBegunError())
            elif event == "lost":
                self._take_out(job).fail(MatchLostError.from_json(head["error"]))
            elif event == "report":
                self._take_out(job)
                if not job.report.done():
                    job.report.set_result(MatchReport.from_json(head["report"], blob))
            else:
                raise FrameError(f"no event is named {event!r}")

    def _become_ready(self, port: int) -> None:
        self.port = port
        if self._options.address:
            host = self._options.address.rpartition(":")[0]
            self._options = replace(self._options, address=f"{host}:{port}")
        self._is_ready = True
        for job in self._jobs.values():
            self._send(job)
        self._on_ready()

    def _take_out(self, job: ExecutorJob) -> ExecutorJob:
        self._begun.discard(job.ticket)
        return self._jobs.pop(job.ticket)
