"""Packs matches as the viewer takes them, so that hundreds fit into one file. Pure; `js/unpack.js` is the inverse.

Figures are rounded to what the viewer shows: times to milliseconds, what is left on clocks to tenths of a second,
values to hundredths. Everything is written by an adaptive coder (`arena/web/report/coding.py`), foretold by what
came in the same situation before, in this match and in those before it: matches are unpacked in their order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from arena.web.report import fields
from arena.web.report.coding import Coder, situation, size_for
from arena.web.report.drawn import PictureContext, Pictures
from arena.web.report.texts import Numbered, Source, Texts

_HEAD = ("match_id", "game", "title", "language", "seats", "clock", "started_at_us", "marks", "colours")
_SEATS = 1 << 10
"""An event is its action and, in steps of this, its seat."""
_MOVED: Final = 12
"""Figures of a row that moved by more together are like one another."""


@dataclass(slots=True)
class _Before:
    """What was told of the position before."""

    decider: int = -1
    actions: tuple[int, int] = (0, 0)
    words: int = 0
    elapsed: dict[int, int] = field(default_factory=dict)
    """Of each seat the length of the number."""
    remaining: Sequence[int] = ()
    values: Sequence[int] = ()
    steps: dict[int, int] = field(default_factory=dict)
    """By how much the value of each seat changed last."""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class PackedMatches:
    """Matches as they are stored."""

    head: Mapping[str, Any]
    """Everything but the frames, as JSON data."""
    frames: bytes
    """The frames of all matches, one match after another."""


class Packer:
    """Takes matches one by one; `head` and `frames` are what is stored at the end."""

    def __init__(self, plies: int) -> None:
        """Make tables for matches of so many plies together; of more they fit less."""
        self._size = size_for(plies)
        self._coder = Coder(self._size)
        self._texts = Texts(self._coder)
        self._pictures = Pictures(self._coder, self._texts)
        self._throws = Numbered[str]()
        self._shared: list[Any] = []
        self._matches: list[dict[str, Any]] = []

    def add(self, document: Mapping[str, Any], place: int = 0) -> None:
        """Take a match, a document as `arena.web.viewer.document.viewer_document` makes it, listed by its place."""
        frames, before = document["frames"], _Before()
        faults = {at: frame["faults"] for at, frame in enumerate(frames) if "faults" in frame}
        head = {name: document[name] for name in _HEAD}
        head |= {"place": place, "end": document["end"], "faults": faults, "picture": self._share(document["picture"])}
        self._matches.append(head | {"frames": len(frames)})
        self._pictures.begin()
        for frame in frames:
            context = self._write_frame(frame, before)
            changes = frame.get("parts", ())
            drawn = [(slot, document["parts"][part]) for slot, part in zip(changes[::2], changes[1::2], strict=True)]
            self._pictures.put(drawn, context)

    def packed(self) -> PackedMatches:
        """Return all that was taken."""
        head = {"size": self._size, "pictures": self._shared, "matches": self._matches}
        return PackedMatches(head, self._coder.data())

    def _share(self, picture: Any) -> int | None:
        if picture is None:
            return None
        if picture not in self._shared:
            self._shared.append(picture)
        return self._shared.index(picture)

    def _write_frame(self, frame: Mapping[str, Any], before: _Before) -> PictureContext:
        """Write what a frame tells besides its picture."""
        last, earlier = before.actions
        seat = frame.get("seat", -1)
        keys = situation(fields.SEAT, before.decider, last), situation(fields.SEAT + 1, before.decider)
        self._small(fields.SEAT, keys, seat + 1)
        action = self._texts.put(
            fields.ACTION,
            (
                situation(fields.ACTION, seat, last, earlier, before.words),
                situation(fields.ACTION + 1, seat, last, earlier),
                situation(fields.ACTION + 2, seat, last),
                situation(fields.ACTION + 3, last),
            ),
            frame.get("action", ""),
            Source(),
        )
        keys = situation(fields.BY, seat, action, last), situation(fields.BY + 1, seat)
        by = self._texts.put(fields.BY, keys, frame.get("by", ""), Source())
        thrown, source = self._throw(frame.get("chance", ()), seat, action)
        event = seat * _SEATS + action
        before.words = self._write_words(frame.get("words", ()), event, action, thrown, before.words, source)
        self._measure(frame, seat, by, before)
        self._go_on(frame, seat, event, before)
        before.actions = action, last
        whole = " ".join(frame.get("words", ()))
        return PictureContext(event, action, before.words, self._texts.know(whole), Source(self._texts.words_of(whole)))

    def _throw(self, chance: Sequence[Any], seat: int, action: int) -> tuple[int, Source]:
        """Write how chance fell; return a number for it, and its values as words that may be said of it."""
        keys = situation(fields.THROWS, seat, action), situation(fields.THROWS + 1, action)
        self._small(fields.THROWS, keys, len(chance))
        for place, (kind, values) in enumerate(chance):
            named = self._texts.put(fields.KIND, (situation(fields.KIND, action),), kind, Source())
            keys = situation(fields.COUNT, seat, action, place), situation(fields.COUNT + 1, action)
            self._small(fields.COUNT, keys, len(values))
            for value in values:
                self._coder.number(situation(fields.CHANCE, named), value)
        number, _ = self._throws.number(json.dumps(chance))
        spoken = "".join(f" {value}" for _, values in chance for value in values)
        return number, Source(self._texts.words_of(spoken))

    def _write_words(
        self, words: Sequence[str], event: int, action: int, thrown: int, last: int, source: Source
    ) -> int:
        """Write the sentences, and return the last of them."""
        keys: tuple[int, ...] = (
            situation(fields.SAID, event, thrown),
            situation(fields.SAID + 1, action, thrown),
            situation(fields.SAID + 2, action),
        )
        self._small(fields.SAID, keys, len(words))
        for place, sentence in enumerate(words):
            keys = (
                situation(fields.WORDS, event, thrown, place, last),
                situation(fields.WORDS + 1, event, thrown, place),
                situation(fields.WORDS + 2, event, place, last),
                situation(fields.WORDS + 3, event, place),
            )
            last = self._texts.put(fields.WORDS, keys, sentence, source, action)
        return last

    def _measure(self, frame: Mapping[str, Any], seat: int, by: int, before: _Before) -> None:
        """Write the time that the action took, what is left on the clocks, and the bot's note."""
        elapsed = 1 + frame["elapsed_us"] // 1000 if "elapsed_us" in frame else 0
        self._coder.number(situation(fields.ELAPSED, by, before.elapsed.get(seat, 0)), elapsed)
        if elapsed:
            before.elapsed[seat] = elapsed.bit_length()
        left = [us // 100_000 for us in frame.get("remaining_us", ())]
        before.remaining, _ = self._differ(fields.LEFT, left, before.remaining, [at == seat for at in range(len(left))])
        self._texts.put(fields.NOTE, (situation(fields.NOTE, seat),), frame.get("note", ""), Source())

    def _go_on(self, frame: Mapping[str, Any], seat: int, event: int, before: _Before) -> None:
        """Write who decides next, which turn it is, what the position is worth, and how it reads."""
        decider = -1 if frame["decider"] is None else frame["decider"]
        keys = (
            situation(fields.DECIDER, event, before.actions[0], before.decider),
            situation(fields.DECIDER + 1, event, before.decider),
            situation(fields.DECIDER + 2, event),
        )
        self._small(fields.DECIDER, keys, decider + 1)
        is_same, before.decider = decider == before.decider, decider
        self._coder.bit(situation(fields.TURN, -1), "turn" in frame)
        if "turn" in frame:
            self._coder.number(situation(fields.TURN, event, is_same), frame["turn"] - before.turn)
            before.turn = frame["turn"]
        self._value(frame, seat, before)
        self._texts.put(fields.TEXT, (situation(fields.TEXT, 0),), frame.get("text", ""), Source())

    def _value(self, frame: Mapping[str, Any], seat: int, before: _Before) -> None:
        values = [round(value / 10) for value in frame.get("values", ())]
        seen = [min(abs(before.steps.get(at, 0)), 4) * 2 + (at == seat) for at in range(len(values))]
        before.values, before.steps = self._differ(fields.WORTH, values, before.values, seen)

    def _differ(
        self, kind: int, row: Sequence[int], before: Sequence[int], seen: Sequence[int]
    ) -> tuple[Sequence[int], dict[int, int]]:
        """Write a row of figures by what each differs from the one before; return those to differ from next."""
        self._coder.bit(situation(kind, -1), bool(row))
        if not row:
            return before, {}
        steps, moved, rest = dict[int, int](), 0, 0
        for at, (new, old) in enumerate(zip(row, before or [0] * len(row), strict=True)):
            steps[at] = step = new - old
            is_last = at == len(row) - 1 and moved > 0
            key = situation(kind + 1, seen[at], min(moved, _MOVED), is_last)
            self._coder.number(key, step - rest if is_last else step)
            moved, rest = moved + abs(step), rest - step
        return row, steps

    def _small(self, kind: int, keys: tuple[int, ...], number: int) -> None:
        """Write a number from 0 on that mostly is the same in one of the situations."""
        self._coder.guessed(kind, keys, number, lambda: self._coder.number(situation(kind + 7, 0), number))
