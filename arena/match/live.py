"""The events of a match while it is played, in the form of its replay: values, their JSON, and how they are made.

    LiveStartEvent   the match begins: what its replay says before the entries, without the seeds
    LiveEntryEvent   one ply, and the chance outcomes that it caused
    LiveLogEvent     what the bot in a seat wrote
    LiveEndEvent     it is over, or the host lost it

The events hold everything that the replay will hold of the plies so far: notes of the bots, hidden chance such as the
order of a pile. Who may see which of them, and when, is for whoever passes them on to decide.

`sequence` counts events and is the same however often and from wherever a match is watched: 0 is the start, 1 + ply an
entry, and the end follows the last entry. A log has that of the event before it, and tells its place by `start`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arena.match.match import Match
from arena.match.replay import ReplayError, canonical_json, entry_json
from arena.match.result import MatchResult
from engine import registry
from engine.chance import SeededChance
from engine.core import EngineError
from engine.record import Playing
from engine.translatable import Text

Outcomes = tuple[tuple[int, ...], ...]
START = 0


@dataclass(frozen=True, slots=True)
class LiveSeat:
    """Who plays a seat."""

    version: str
    name: str


@dataclass(frozen=True, slots=True)
class LiveStartEvent:
    """The match begins."""

    sequence: int
    match_id: str
    attempt: int
    game: str
    rules_version: str
    options: Mapping[str, Any]
    cores: int
    clock: Mapping[str, Any]
    opening: tuple[int, ...]
    seats: tuple[LiveSeat, ...]
    started_at_us: int
    chance: Outcomes
    """The chance outcomes before the first ply."""


@dataclass(frozen=True, slots=True)
class LiveEntryEvent:
    """One ply was played."""

    sequence: int
    entry: Mapping[str, Any]
    """As `arena.match.replay.entry_json` writes it."""
    chance: Outcomes
    """The chance outcomes that it caused."""


@dataclass(frozen=True, slots=True)
class LiveLogEvent:
    """A part of what the bot in a seat has written since the match began, whole or without its beginning."""

    sequence: int
    seat: int
    start: int
    """The place of the first byte of `data` in all that it wrote."""
    data: bytes
    cut_bytes: int = 0
    """How many bytes right before `data` are lost."""


@dataclass(frozen=True, slots=True)
class LiveEndEvent:
    """The match is over."""

    sequence: int
    result: Mapping[str, Any] | None
    """As `MatchResult.to_json` writes it, with the texts that explain its faults; None if there is none."""
    lost: str = ""
    """Why there is no result, one sentence: the host failed, or the match was cancelled."""


LiveEvent = LiveStartEvent | LiveEntryEvent | LiveLogEvent | LiveEndEvent
_KINDS: Mapping[str, type[LiveEvent]] = {
    "start": LiveStartEvent,
    "entry": LiveEntryEvent,
    "log": LiveLogEvent,
    "end": LiveEndEvent,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def live_json(event: LiveEvent) -> tuple[dict[str, Any], bytes]:
    """Return an event as JSON data and bytes, which are empty unless it is a log; `read_live` is the inverse."""
    data = {"kind": _NAMES[type(event)], **asdict(event)}
    return data, data.pop("data", b"")


def read_live(data: Mapping[str, Any], blob: bytes = b"") -> LiveEvent:
    """Return the event that `live_json` wrote."""
    values = {name: value for name, value in data.items() if name != "kind"}
    if "chance" in values:
        values["chance"] = _outcomes(values["chance"])
    if data["kind"] == "start":
        seats = tuple(LiveSeat(**seat) for seat in values["seats"])
        values |= {"seats": seats, "opening": tuple(values["opening"])}
    if data["kind"] == "log":
        values["data"] = blob
    return _KINDS[data["kind"]](**values)


class LiveReader:
    """Tells the events of a match that is played; each call of `read` returns those since the last."""

    __slots__ = ("_chance", "_entries", "_has_begun", "_match", "_started_at_us")

    def __init__(self, match: Match, started_at_us: int) -> None:
        self._match = match
        self._started_at_us = started_at_us
        self._chance = _ChanceReader(match.playing)
        self._entries = 0
        self._has_begun = False

    @property
    def sequence(self) -> int:
        """The sequence of the last event that was read; -1 before the first."""
        return self._entries if self._has_begun else -1

    def read(self) -> Iterator[LiveStartEvent | LiveEntryEvent]:
        """Yield the start, unless it was read, and then every ply that was not read."""
        if not self._has_begun:
            self._has_begun = True
            spec, playing = self._match.spec, self._match.playing
            yield LiveStartEvent(
                sequence=START,
                match_id=spec.match_id,
                attempt=spec.attempt,
                game=spec.game,
                rules_version=spec.rules_version,
                options=playing.game.options_json(playing.options),
                cores=spec.cores,
                clock=spec.clock.to_json(),
                opening=spec.opening,
                seats=tuple(LiveSeat(seat.version, seat.name) for seat in spec.seats),
                started_at_us=self._started_at_us,
                chance=self._chance.read(-1),
            )
        for entry in self._match.entries[self._entries :]:
            self._entries += 1
            yield LiveEntryEvent(self._entries, entry_json(entry), self._chance.read(entry.ply))


def live_end(result: MatchResult, plies: int) -> LiveEndEvent:
    """Return the end of a match that has a result."""
    data = json.loads(canonical_json(result.to_json()))
    faults = [
        {**read, "explanation": fault.explanation} for read, fault in zip(data["faults"], result.faults, strict=True)
    ]
    return LiveEndEvent(plies + 1, {**data, "faults": faults})


def events_of_replay(document: Mapping[str, Any]) -> list[LiveEvent]:
    """Return the events of a match that is over, from its replay, as a watcher without logs would have seen them.

    The document must be one that verifies. Raises ReplayError if its game is not installed with its rules.
    """
    try:
        return list(_replayed(document))
    except EngineError as error:
        raise ReplayError(Text("it cannot be played again: {why}", why=error)) from error


def _replayed(document: Mapping[str, Any]) -> Iterator[LiveEvent]:
    game = registry.get(document["game"])
    options = game.parse_options(document["options"])
    playing = Playing(game, len(document["seats"]), options, SeededChance(document["chance_seed"]))
    chance = _ChanceReader(playing)
    copied = ("match_id", "attempt", "game", "rules_version", "options", "cores", "clock", "started_at_us")
    yield LiveStartEvent(
        sequence=START,
        **{name: document[name] for name in copied},
        opening=tuple(document["opening"]),
        seats=tuple(LiveSeat(seat["version"], seat["name"]) for seat in document["seats"]),
        chance=chance.read(-1),
    )
    for number, entry in enumerate(document["entries"], start=1):
        playing.apply(entry["action"])
        yield LiveEntryEvent(number, entry, chance.read(entry["ply"]))
    result = {name: value for name, value in document["result"].items() if name != "forfeits"}
    forfeits = [seat for seat, _ in document["result"]["forfeits"]]
    yield LiveEndEvent(len(document["entries"]) + 1, {**result, "forfeits": forfeits})


class _ChanceReader:
    """Reads the chance outcomes of a playing ply by ply."""

    __slots__ = ("_playing", "_read")

    def __init__(self, playing: Playing) -> None:
        self._playing = playing
        self._read = 0

    def read(self, ply: int) -> Outcomes:
        """Return the outcomes up to that ply that were not read yet."""
        plies, start = self._playing.chance_plies, self._read
        while self._read < len(plies) and plies[self._read] <= ply:
            self._read += 1
        return _outcomes(self._playing.chance_outcomes[start : self._read])


def _outcomes(outcomes: Any) -> Outcomes:
    return tuple(tuple(outcome) for outcome in outcomes)
