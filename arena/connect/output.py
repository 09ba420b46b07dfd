"""Follows what the processes of a bot write, line by line, while they run."""

from __future__ import annotations

from collections.abc import Callable

from arena.hosting.errors import HostingError
from arena.hosting.launcher.client import HostedProcess
from arena.hosting.launcher.messages import Log

LOOK_EVERY_S = 0.3
_LONGEST_LINE = 2000
_SHOWN_WORDS = 200


async def follow_output(process: HostedProcess, say: Callable[[str], None]) -> None:
    """Say every line that a process writes, a few times a second, until it has ended."""
    seen, unfinished, has_ended = 0, "", False
    while not has_ended:
        try:
            has_ended = await process.wait(LOOK_EVERY_S)
            log = await process.log(seen)
        except HostingError:
            return  # the launcher is gone, which whoever waits for a match is told
        seen += log.total_bytes
        *lines, unfinished = (unfinished + _text(log)).split("\n")
        if has_ended or len(unfinished) > _LONGEST_LINE:
            lines, unfinished = [*lines, unfinished], ""
        for line in lines:
            if line.strip():
                say(line.rstrip()[:_LONGEST_LINE])


def lines_of(log: Log) -> list[str]:
    """Return the lines that are not empty of what a process wrote."""
    return [line.rstrip()[:_LONGEST_LINE] for line in _text(log).splitlines() if line.strip()]


def last_line(log: Log) -> str:
    """Return the beginning of the last line; mostly it names the error."""
    lines = lines_of(log)
    return lines[-1].strip()[:_SHOWN_WORDS] if lines else ""


def _text(log: Log) -> str:
    head, tail = (part.decode(errors="replace") for part in (log.head, log.tail))
    return f"{head}\n({log.cut_bytes} bytes were not kept)\n{tail}" if log.cut_bytes else head + tail
