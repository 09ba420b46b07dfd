"""What changes in the pictures of a match, as a report packs it: by what changed before in the same situation. Pure.

A part of a picture is split into a template, its tags without the values of their attributes and without texts, and
the values of its holes. A part that no situation foretells is written by those of its values that differ from what its
slot showed before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from arena.web.report import fields
from arena.web.report.coding import Coder, situation
from arena.web.report.texts import Numbered, Source, Texts

HOLE: Final = "\0"
_VALUES: Final = re.compile(r'(?<==")[^"]*(?=")|(?<=>)[^<]+(?=<)')
_AMOUNT: Final = re.compile(r"0|[1-9][0-9]{0,3}")
_PLACE: Final = "<g data-place="
_RECENT: Final = 7
_NONE: Final = -1
_ANYWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class PictureContext:
    """What is known of a position before its picture."""

    event: int
    """Who did what, in one number."""
    action: int
    words: int
    """The last sentence that was said."""
    whole: int
    """All that was said, as one text."""
    source: Source
    """Its words."""


@dataclass(frozen=True, slots=True)
class PicturePart:
    """A part: the numbers of its template and of the texts in its holes, and those that refer to something."""

    template: int
    values: tuple[int, ...]
    references: tuple[int, ...]


@dataclass(slots=True)
class _Walk:
    """How far the changes of a picture are told."""

    slot: int = _NONE
    part: int = _NONE
    mentioned: list[int] = field(default_factory=list)
    """What the parts refer to: the places of the board to which it belongs may change, too, in that order."""
    met: int = 0
    amount: int = _NONE
    """The last change of an amount, numbered."""


class Pictures:
    """Writes the pictures of matches, slot by slot. What slots showed is remembered from match to match."""

    def __init__(self, coder: Coder, texts: Texts) -> None:
        self._coder, self._texts = coder, texts
        self._numbers: dict[str, int] = {}
        self._parts: list[PicturePart] = []
        self._amounts = Numbered[int]()
        self._known: dict[tuple[int, int], PicturePart] = {}
        self._sames = Numbered[bytes]()
        self._last_same: dict[tuple[int, int], int] = {}
        self._places: dict[int, int] = {}
        self._shown: dict[int, int] = {}
        self._before: list[int] = []

    def begin(self) -> None:
        """Begin a match."""
        self._shown, self._before = {}, []

    def put(self, changes: Sequence[tuple[int, str]], context: PictureContext) -> None:
        """Write which slots, in their order, show which parts from this position on."""
        walk = _Walk()
        for slot, text in changes:
            self._slot(slot, walk, context)
            number = self._part(slot, text, walk, context)
            self._shown[slot] = number
            walk.slot, walk.part = slot, number
            self._mention(slot, self._parts[number], walk)
        self._slot(_NONE, walk, context)
        self._before = [slot for slot, _ in changes]

    def _slot(self, slot: int, walk: _Walk, context: PictureContext) -> None:
        """Write which slot changes next; _NONE if no other does."""
        last, first, second = walk.slot, *self._expected_references(walk)
        waiting = next((before for before in self._before if before > last), _NONE)
        shows = self._parts[self._shown[waiting]].template if waiting >= 0 else _NONE
        keys = (
            situation(fields.SLOT, last, context.event, waiting, shows, walk.part),
            situation(fields.SLOT + 1, last, first, context.action),
            situation(fields.SLOT + 2, last, first, second, waiting),
            situation(fields.SLOT + 3, last, context.event, waiting, shows),
            situation(fields.SLOT + 4, last, context.action, waiting, shows),
            situation(fields.SLOT + 5, last, waiting, shows),
            situation(fields.SLOT + 6, last),
        )
        further, far = situation(fields.SLOT + 7, 0), slot - last if slot >= 0 else 0
        self._coder.guessed(fields.SLOT, keys, slot + 1, lambda: self._coder.number(further, far))
        if slot >= 0:
            walk.met += 1 if self._places.get(first) == slot else 2 if self._places.get(second) == slot else 0

    @staticmethod
    def _expected_references(walk: _Walk) -> tuple[int, int]:
        """Return the next two references that were mentioned and not met."""
        first, second = [*walk.mentioned[walk.met : walk.met + 2], _NONE, _NONE][:2]
        return first, second

    def _mention(self, slot: int, part: PicturePart, walk: _Walk) -> None:
        if self._texts.text(part.template).startswith(_PLACE):
            if part.references:
                self._places[part.references[0]] = slot
            return
        walk.mentioned += [each for each in dict.fromkeys(part.references) if each not in walk.mentioned]

    def _part(self, slot: int, text: str, walk: _Walk, context: PictureContext) -> int:
        """Write what a slot shows now, and return its number."""
        old, event, action, words = self._shown.get(slot, _NONE), context.event, context.action, context.words
        keys = (
            situation(fields.PART, slot, event, old, words),
            situation(fields.PART + 1, slot, event, old),
            situation(fields.PART + 2, slot, action, old),
            situation(fields.PART + 3, slot, words),
            situation(fields.PART + 4, slot, old),
            situation(fields.PART + 5, slot, action),
        )
        number = self._numbers.get(text, len(self._parts))

        def write() -> None:
            part = self._fill(slot, text, walk, context)
            if number == len(self._parts):
                self._numbers[text] = number
                self._parts.append(part)

        self._coder.guessed(fields.PART, keys, number, write, is_new=number == len(self._parts))
        return number

    def _fill(self, slot: int, text: str, walk: _Walk, context: PictureContext) -> PicturePart:
        """Write a part by its template and its values."""
        old = self._shown.get(slot, _NONE)
        showed = self._parts[old] if old >= 0 else None
        before = showed.template if showed else _NONE
        keys = (
            situation(fields.TEMPLATE, slot, before, context.event),
            situation(fields.TEMPLATE + 1, slot, before),
            situation(fields.TEMPLATE + 2, slot),
        )
        template = self._texts.put(fields.TEMPLATE, keys, _VALUES.sub(HOLE, text), Source())
        if showed is None or showed.template != template:
            showed = self._known.get((slot, template)) or self._known.get((_ANYWHERE, template))
        found = _VALUES.findall(text)
        before_it = showed.values if showed else (0,) * len(found)
        same = self._same(slot, template, before_it, found, context)
        values, hole_of = list[int](), _Hole(slot, template, walk, context)
        for hole, value in enumerate(found):
            old = before_it[hole]
            values.append(old if same[hole] else self._value(hole_of, hole, old, values, value))
        references = tuple(value for value in values if self._texts.text(value).startswith("#"))
        part = PicturePart(template, tuple(values), references)
        self._known[slot, template] = self._known[_ANYWHERE, template] = part
        return part

    def _same(
        self, slot: int, template: int, before: Sequence[int], texts: Sequence[str], context: PictureContext
    ) -> bytes:
        """Write which holes show what the slot showed before, and return it: one of each that does."""
        same = bytes(self._texts.text(old) == text for old, text in zip(before, texts, strict=True))
        number, is_new = self._sames.number(same)
        last = self._last_same.get((slot, template), _NONE)
        keys = (
            situation(fields.SAME, slot, template, context.event, last),
            situation(fields.SAME + 1, template, context.event, context.words),
            situation(fields.SAME + 2, template, context.event),
            situation(fields.SAME + 3, slot, template, context.action),
            situation(fields.SAME + 4, template, context.action, last),
            situation(fields.SAME + 5, slot, template, last),
            situation(fields.SAME + 6, template),
        )

        def write() -> None:
            seen = 1
            for hole, is_same in enumerate(same):
                self._coder.bit(situation(fields.SAME + 7, template, hole, seen), is_same)
                seen = 2 * seen + is_same & _RECENT

        self._coder.guessed(fields.SAME, keys, number, write, is_new=is_new)
        self._last_same[slot, template] = number
        return same

    def _value(self, at: _Hole, hole: int, old: int, values: Sequence[int], text: str) -> int:
        """Write the text in a hole that shows another than before, and return its number."""
        place = at.slot, at.template, hole
        if _AMOUNT.fullmatch(self._texts.text(old)):
            is_amount = _AMOUNT.fullmatch(text) is not None
            self._coder.bit(situation(fields.AMOUNT, at.template, hole), is_amount)
            if is_amount:
                self._change(at, int(text) - int(self._texts.text(old)))
                return self._texts.know(text)
        is_whole = self._texts.text(at.context.whole) == text
        self._coder.bit(situation(fields.WHOLE, at.template, hole), is_whole)
        if is_whole:
            return at.context.whole
        before = values[-1] if values else 0
        keys = (
            situation(fields.VALUE, *place, before, old),
            situation(fields.VALUE + 1, at.template, hole, old, at.context.event),
            situation(fields.VALUE + 2, *place, before),
            situation(fields.VALUE + 3, *place),
            situation(fields.VALUE + 4, at.template, hole, before),
            situation(fields.VALUE + 5, at.template, hole),
        )
        return self._texts.put(fields.VALUE, keys, text, at.context.source, situation(at.template, hole))

    def _change(self, at: _Hole, difference: int) -> None:
        """Write by how much an amount changes."""
        slot, last, context = at.slot, at.walk.amount, at.context
        keys = (
            situation(fields.CHANGE, slot, last, context.words),
            situation(fields.CHANGE + 1, slot, context.words),
            situation(fields.CHANGE + 2, slot, context.event, last),
            situation(fields.CHANGE + 3, slot, last),
            situation(fields.CHANGE + 4, slot, context.event),
        )
        number, is_new = self._amounts.number(difference)

        def write() -> None:
            self._texts.choose(fields.CHANGE, number, len(self._amounts.items) - is_new)
            if is_new:
                self._coder.number(situation(fields.CHANGE + 5, 0), difference)

        self._coder.guessed(fields.CHANGE, keys, number, write, is_new=is_new)
        at.walk.amount = number


@dataclass(frozen=True, slots=True)
class _Hole:
    """Where a value stands."""

    slot: int
    template: int
    walk: _Walk
    context: PictureContext
