"""Decides whose fault it was, and for which cause, from what a process left behind.

A bot that the watchdog ended used too much (`RESOURCE`); one that ended in another way is gone (`DISCONNECTED`, with
exit status or signal); and what went wrong with the launcher or the machine is the host's fault.
"""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from typing import Any

from arena.hosting.errors import (
    HostBusyError,
    HostingError,
    LauncherLostError,
    OutOfMemoryError,
    RuntimeDirectoryError,
    SandboxUnavailableError,
    StorageFailedError,
)
from arena.hosting.launcher.client import HostedProcess
from arena.hosting.launcher.messages import BEGINNING, Log, OutputMark
from arena.match.result import Fault, FaultCause, HostBrokenError, HostCause, MatchLostError
from engine.translatable import Text

KEPT_CHARACTERS = 4000
"""How much of the end of each stream is kept as evidence."""
MOST_QUOTED = 200
"""How many characters of a line are quoted in an explanation."""
# What a process appears to have done wrong when it was ended for exceeding a limit.
_SIGNS_OF_AN_END = (FaultCause.DISCONNECTED, FaultCause.START_FAILED, FaultCause.TIMEOUT)


_WANTS_OF_ROOM = (os.strerror(errno.EAGAIN), os.strerror(errno.ENOMEM))


class StartError(Exception):
    """The bot did not start or did not join; `fault` makes it the fault of a seat."""

    def __init__(self, cause: FaultCause, explanation: str, evidence: dict[str, Any]) -> None:
        super().__init__(explanation)
        self.cause, self.explanation, self.evidence = cause, explanation, evidence
        self.log = Log()
        """What its process wrote."""

    def fault(self, seat: int) -> Fault:
        """Return it as the fault of a seat."""
        return Fault(seat, self.cause, 0, self.explanation, self.evidence)


async def examine(
    process: HostedProcess, by_itself: bool, since: OutputMark = BEGINNING, *, stray: str = ""
) -> dict[str, Any]:
    """Return the evidence that a process left; how it ended is included if it ended `by_itself`.

    That is the end of what it wrote to stderr and, if it wrote there at all, to stdout. `stray` stands in for that
    of a bot that speaks lines (`BotStream.stray_output`). Raises HostingError.
    """
    output = await process.collect(since)
    evidence: dict[str, Any] = {"stderr": output.stderr[-KEPT_CHARACTERS:]}
    if written := output.stdout or stray:
        evidence["stdout"] = written[-KEPT_CHARACTERS:]
    if by_itself:
        ended = process.exited.result()
        evidence |= {"ended": ended.describe(), "exit_status": ended.status, "signal": ended.signal}
    if (exceeded := process.exceeded) is not None:
        evidence |= {"exceeded": exceeded.what, "used": exceeded.used, "limit": exceeded.limit}
    return evidence


def blame(fault: Fault, process: HostedProcess, evidence: dict[str, Any]) -> Fault:
    """Return the fault with the evidence that `examine` found, and with the cause that the end of the process shows.

    Raises OutOfMemoryError if the host is at fault.
    """
    fault = replace(fault, evidence={**fault.evidence, **evidence})
    if fault.cause not in _SIGNS_OF_AN_END:
        return fault
    if process.exceeded is not None:
        return replace(fault, cause=FaultCause.RESOURCE, explanation=process.exceeded.sentence)
    if process.was_killed_by_host and "ended" in evidence:
        raise OutOfMemoryError
    if fault.cause is FaultCause.DISCONNECTED and "ended" in evidence:
        return replace(
            fault,
            explanation=Text("{what} Its process ended, too ({how}).", what=fault.explanation, how=evidence["ended"]),
        )
    return fault


def note_silence(fault: Fault) -> Fault:
    """Return the fault of a bot that speaks lines and of which not one has come; only one of time says so."""
    if fault.cause is not FaultCause.TIMEOUT:
        return fault
    if unfinished := fault.evidence.get("stdout"):
        line = repr(unfinished[:MOST_QUOTED])
        why = Text(
            "{what} It wrote {line} without the end of a line, which an answer needs.",
            what=fault.explanation,
            line=line,
        )
        return replace(fault, explanation=why)
    why = Text("{what} No line of it has come at all: if it does answer, it does not flush.", what=fault.explanation)
    return replace(fault, explanation=why, evidence={**fault.evidence, "answers": 0})


async def explain_absence(
    process: HostedProcess, limit_s: float, *, speaks_lines: bool = False, stray: str = ""
) -> StartError:
    """End a process that has not joined, or read its first line, and return the reason; for `stray` see `examine`.

    Raises HostingError if the host is at fault.
    """
    has_ended = await process.wait(0)
    # A sandbox that our own watchdog killed has not reported the bot in it either.
    if has_ended and not process.has_begun and process.exceeded is None:
        words = (await process.collect()).stderr.strip().splitlines()
        if words and words[-1].endswith(_WANTS_OF_ROOM):
            raise HostBusyError(f"this host has no room for a sandbox: {words[-1]}")
        raise SandboxUnavailableError(
            Text("a sandbox could not be made: {why}", why=words[-1] if words else "it said nothing")
        )
    how = process.exited.result().describe() if has_ended else ""
    seconds = f"{limit_s:g}"
    if has_ended and speaks_lines:
        why = Text("It ended before it read its first line ({how}).", how=how)
    elif has_ended:
        why = Text("It ended before it joined ({how}).", how=how)
    elif speaks_lines:
        why = Text("It did not read its first line within {seconds} s.", seconds=seconds)
    else:
        why = Text("It did not join within {seconds} s.", seconds=seconds)
    if line := next((line for line in map(str.strip, stray.splitlines()) if line), ""):
        why = Text("{what} It wrote to standard output: {line}.", what=why, line=repr(line[:MOST_QUOTED]))
    await process.end()
    return await refuse(FaultCause.START_FAILED, why, process, by_itself=has_ended, stray=stray)


async def refuse(
    cause: FaultCause, explanation: str, process: HostedProcess, *, by_itself: bool, stray: str = ""
) -> StartError:
    """Return a failed start with the cause that the end of its process shows. Raises HostingError."""
    evidence = await examine(process, by_itself, stray=stray)
    fault = blame(Fault(0, cause, 0, explanation), process, evidence)
    return StartError(fault.cause, fault.explanation, evidence)


def blame_host(error: HostingError) -> MatchLostError:
    """Return the fault of a host; a HostBrokenError if nothing can be played on it any more."""
    if isinstance(error, OutOfMemoryError):
        return MatchLostError(str(error), HostCause.OUT_OF_MEMORY)
    if isinstance(error, LauncherLostError):
        cause = HostCause.LAUNCHER_LOST
    elif isinstance(error, SandboxUnavailableError):
        cause = HostCause.SANDBOX_FAILED
    elif isinstance(error, StorageFailedError | RuntimeDirectoryError):
        cause = HostCause.STORAGE_FAILED
    else:
        cause = HostCause.HOSTING_FAILED
    return HostBrokenError(str(error), cause)
