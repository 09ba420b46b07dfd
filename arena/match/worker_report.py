"""What comes back from playing a match: plain data that survives JSON, so that it can cross processes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from arena.match.result import LeakVerdict, MatchResult
from arena.match.spec import NO_SANDBOX
from engine.translatable import from_json, to_json

LOG_HEAD_BYTES = 16 * 1024
"""How many bytes of a log stand before the gap, if there is one."""


@dataclass(frozen=True, slots=True)
class LeakCheckResult:
    """How the answers of one seat compare with those of fresh processes of the same bot."""

    seat: int
    verdict: LeakVerdict
    ply: int | None
    """The first decision that was answered differently; None if there is none."""
    sentence: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """What was answered there: `used` by the used process, `fresh` by each of the fresh ones."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LeakCheckResult:
        """Return the check that `MatchReport.to_json` wrote."""
        return cls(**{**data, "verdict": LeakVerdict(data["verdict"]), "sentence": from_json(data["sentence"])})


@dataclass(frozen=True, slots=True)
class SeatLogText:
    """What the bot in a seat wrote to stdout and stderr during a match, in the order in which it was read."""

    seat: int
    data: bytes
    """The first LOG_HEAD_BYTES and the last 48 KiB if it wrote more than both."""
    cut_bytes: int = 0
    """How many bytes between these two parts were left out."""


@dataclass(frozen=True, slots=True)
class SeatProcess:
    """How the process in a seat did, apart from its play."""

    seat: int
    was_warm: bool
    """Whether it had played before."""
    peak_memory_bytes: int | None
    """The most memory seen in its whole tree since its start, shared pages counted repeatedly; None if unknown."""
    left_by_itself: bool | None
    """Whether it ended soon after its stream was closed; None if it was not ended."""
    stdout_bytes: int = 0
    """How much it wrote to stdout during the match, where nobody reads it."""
    failed_at_end: str = ""
    """How it ended when its stream was closed, such as "exit status 1"; empty if in good order, or not by itself."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SeatProcess:
        """Return the process that `to_json` wrote."""
        return cls(**{**data, "failed_at_end": from_json(data["failed_at_end"])})

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data that keeps which text `failed_at_end` is."""
        return {**asdict(self), "failed_at_end": to_json(self.failed_at_end)}


@dataclass(frozen=True, slots=True)
class HostNote:
    """What the organiser should know of a match that was played all the same."""

    sentence: str
    evidence: Mapping[str, Any]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> HostNote:
        """Return the note that `MatchReport.to_json` wrote."""
        return cls(from_json(data["sentence"]), data["evidence"])


@dataclass(frozen=True, slots=True)
class MatchReport:
    """What comes back from playing a `MatchSpec`; `replay` is the stored form that `arena.match.replay.dump` writes."""

    match_id: str
    attempt: int
    result: MatchResult
    plies: int
    decisions: int
    """How many plies a bot chose: neither forced ones, nor the opening, nor what the caretaker played."""
    started_at_us: int
    """Microseconds since 1970, UTC."""
    duration_us: int
    game_digest: str
    record_digest: str
    replay: bytes
    sandbox: str = NO_SANDBOX
    """The weakest level of the sandbox that any of its bots had."""
    leak_checks: tuple[LeakCheckResult, ...] = ()
    seat_logs: tuple[SeatLogText, ...] = ()
    """The logs of the seats whose bots wrote something, if the spec asked for logs."""
    seat_processes: tuple[SeatProcess, ...] = ()
    """The seats whose bots started, if the spec asked for logs."""
    runtimes: tuple[str, ...] = ()
    """The hash of the runtime of each seat, as the spec names it."""
    sandboxes: tuple[str, ...] = ()
    """The level of the sandbox of each seat; empty for a remote bot."""
    note_bytes: tuple[int, ...] = ()
    """How many bytes the notes of each seat in the replay have, in UTF-8."""
    referee_lag_us: int = 0
    """The longest time for which the referee itself waited for a processor during one decision."""
    warm_bots: int = 0
    """How many processes of bots the worker kept for later matches when this one had ended."""
    note: HostNote | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data without the bytes that `blob` returns; `from_json` is the inverse.

        Sentences keep which text they are.
        """
        data = {name: getattr(self, name) for name in _PLAIN}
        logs = [{"seat": log.seat, "size": len(log.data), "cut_bytes": log.cut_bytes} for log in self.seat_logs]
        return {
            **data,
            "result": {**self.result.to_json(), "faults": [fault.to_json() for fault in self.result.faults]},
            "leak_checks": [_with_sentence(check) for check in self.leak_checks],
            "seat_logs": logs,
            "seat_processes": [process.to_json() for process in self.seat_processes],
            "note": None if self.note is None else _with_sentence(self.note),
        }

    def without_notes(self, seats: Collection[int]) -> MatchReport:
        """Return the report with a replay that says that the notes of these seats were left out, and lacks them."""
        from arena.match.replay import leave_out_notes  # seldom needed, and it needs the games

        data, record_digest = leave_out_notes(self.replay, seats)
        note_bytes = tuple(0 if seat in seats else size for seat, size in enumerate(self.note_bytes))
        return replace(self, replay=data, record_digest=record_digest, note_bytes=note_bytes)

    def blob(self) -> bytes:
        """Return the bytes that travel beside the JSON: the replay, and the logs behind it."""
        return b"".join((self.replay, *(log.data for log in self.seat_logs)))

    @classmethod
    def from_json(cls, data: Mapping[str, Any], blob: bytes) -> MatchReport:
        """Return the report that `to_json` and `blob` wrote."""
        heads = data["seat_logs"]
        start = replay_end = len(blob) - sum(head["size"] for head in heads)
        texts = []
        for head in heads:
            texts.append(SeatLogText(head["seat"], blob[start : start + head["size"]], head["cut_bytes"]))
            start += head["size"]
        replay, logs = blob[:replay_end], tuple(texts)
        values = {
            "result": MatchResult.from_json(data["result"]),
            "leak_checks": tuple(map(LeakCheckResult.from_json, data["leak_checks"])),
            "seat_logs": logs,
            **{name: tuple(data[name]) for name in ("runtimes", "sandboxes", "note_bytes")},
            "seat_processes": tuple(map(SeatProcess.from_json, data["seat_processes"])),
            "note": None if data["note"] is None else HostNote.from_json(data["note"]),
        }
        return cls(**{**data, **values}, replay=replay)


_PLAIN = tuple(
    name
    for name in MatchReport.__dataclass_fields__
    if name not in ("replay", "result", "leak_checks", "seat_logs", "seat_processes", "note")
)
"""The fields that are JSON data as they are."""


def _with_sentence(one: LeakCheckResult | HostNote) -> dict[str, Any]:
    return {**asdict(one), "sentence": to_json(one.sentence)}
