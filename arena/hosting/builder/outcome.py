"""What a build may use, and how one that failed is told to its author. Values and pure functions."""

from __future__ import annotations

from dataclasses import dataclass

from arena.hosting.launcher.messages import Exceeded, Exit, Log
from engine.text import Text


@dataclass(frozen=True, slots=True)
class BuildLimits:
    """What one build may use, with everything it starts. MB are MiB."""

    time_s: float = 120.0
    """How long it may take; the time in which it waits for a processor does not count."""
    memory_mb: int = 1024
    processes: int = 256
    disk_mb: int = 512
    """How much its files and its private directories may hold, the bot's own files included."""
    files: int = 20_000
    output_mb: int = 16
    """How much it may say at once."""


LONGEST_FACTOR = 5
"""How many times its time a build may take altogether, on a machine that is busy with other things."""
DEFAULT_LIMITS = BuildLimits()
_SHOWN_LINES = 40


@dataclass(frozen=True, slots=True)
class BuildFailure:
    """That a version cannot be built, through the fault of its author."""

    sentence: str
    """What happened, in words that the author can act on."""
    log: str = ""
    """What the command said, head and tail."""

    @property
    def last_lines(self) -> list[str]:
        """The end of the log, as much as is shown on a screen."""
        return self.log.rstrip().splitlines()[-_SHOWN_LINES:]


def explain_end(command: str, ended: Exit | None, exceeded: Exceeded | None, limits: BuildLimits) -> str | None:
    """Return why a command that ended so has failed, or None if it has not; `ended` is None if it was too slow."""
    if exceeded is not None:
        return Text(
            "hosting.build_command_ended",
            "The build command `{command}` was ended. {why}",
            command=command,
            why=exceeded.sentence,
        )
    if ended is None:
        return Text(
            "hosting.build_command_did_not_end",
            "The build command `{command}` did not end within {seconds} s, or {times} times that on a busy machine.",
            command=command,
            seconds=f"{limits.time_s:g}",
            times=LONGEST_FACTOR,
        )
    if ended.status or ended.signal:
        return Text(
            "hosting.build_command_failed_log_tells",
            "The build command `{command}` failed ({how}); its log tells why.",
            command=command,
            how=ended.describe(),
        )
    return None


def log_text(log: Log) -> str:
    """Return a log as text that says where something was left out."""
    head, tail = log.head.decode("utf-8", "replace"), log.tail.decode("utf-8", "replace")
    return f"{head}\n[{log.cut_bytes} bytes left out]\n{tail}" if log.cut_bytes else head + tail
