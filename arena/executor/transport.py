"""How frames get to one worker and back: by a pipe of this machine, or over a cluster; and the machine it runs on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from arena.executor.child import ChildProcess
from arena.match.report import MatchReport
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec

WorkerArguments = Callable[[], Sequence[str]]
"""Returns the options of `arena.worker`, which may be others for each life of it."""
Handle = Callable[[Mapping[str, Any], bytes], None]
"""Takes the head and the blob of a frame."""


class TransportLostError(Exception):
    """A worker is out of reach with all that it was told, and nobody knows how far it came; the message says why."""


class WorkerTransport(Protocol):
    """A worker that can be started again after its death, wherever it is."""

    async def run(self) -> tuple[bool, int | None]:
        """Start the worker, serve it until it dies, and return whether it ever spoke, and its exit code.

        The code is None if it could not be started, or was given up. Raises TransportLostError, after which it is of no
        use any more.
        """

    @property
    def is_stopping(self) -> bool:
        """Return whether it was told to stop."""

    def stop(self) -> None:
        """Have it end its bots and itself; `run` returns then."""

    def kill(self) -> None:
        """End it at once; its launcher ends its bots."""

    def send(self, head: Mapping[str, Any]) -> None:
        """Send it a message; nothing happens before it was started."""

    def last_output(self) -> str:
        """Return what it wrote to stderr last."""

    def last_words(self) -> str:
        """Return the last line it wrote to stderr."""

    def describe_death(self, code: int | None) -> MatchLostError:
        """Return why a match is lost that it played when it ended with this exit code, or was given up (None)."""


MakeTransport = Callable[[WorkerArguments, Handle, Callable[[], None]], WorkerTransport]
"""Makes a transport: it calls the handler with every frame, and the third after the last one of each life."""


class WorkerNode(Protocol):
    """The machine on which a worker plays, as far as that is not this one."""

    def takes(self, spec: MatchSpec) -> bool:
        """Return whether the match can be played there now."""

    def localize(self, spec: MatchSpec) -> MatchSpec:
        """Return the match with its programs as they lie there."""

    def note_report(self, spec: MatchSpec, report: MatchReport) -> None:
        """Note that a match was played there."""

    def note_loss(self, spec: MatchSpec, cause: HostCause) -> None:
        """Note that a match was lost there through no bot's fault."""


class LocalNode:
    """The place that is this machine, where every program lies already."""

    def takes(self, spec: MatchSpec) -> bool:  # noqa: ARG002 - the interface's argument
        return True

    def localize(self, spec: MatchSpec) -> MatchSpec:
        return spec

    def note_report(self, spec: MatchSpec, report: MatchReport) -> None:
        """Keep no count."""

    def note_loss(self, spec: MatchSpec, cause: HostCause) -> None:
        """Keep no count."""


def worker_command(words: Sequence[str]) -> list[str]:
    """Return the command that starts a worker with these options."""
    # -P: a folder named arena in the current directory is not ours.
    return [sys.executable, "-P", "-m", "arena.worker", *words]


def pipe_transport(words: WorkerArguments, handle: Handle, on_silent: Callable[[], None]) -> ChildProcess:
    """Return a worker that is a process of this machine."""
    return ChildProcess(lambda: worker_command(words()), handle, on_silent, says_that_it_goes_on=True)
