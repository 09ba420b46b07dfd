"""Draws the bracket of a knockout: rounds from left to right, winners' ties above, those of the once beaten below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from markupsafe import Markup, escape

from arena.model.tournaments import Paired, Pairing
from arena.web.drawing.identicons import mark_of

_WIDTH: Final = 176
_GAP: Final = 32
_ROW: Final = 24
_SLOT: Final = 60
"""From the middle of one tie to that of the next in the first round."""
_HEAD: Final = 32
_LANE: Final = 32
"""Room above the ties of a lane for its name, where there are two."""
_LONGEST_NAME: Final = 14
MOST_TIES: Final = 130
"""A bracket with more ties is shown as lists of its rounds."""


@dataclass(slots=True)
class Box:
    """A tie, or a bye, with its place in the drawing."""

    pairing: Pairing
    lane: int
    """0 for the unbeaten, 1 for those who lost once; where both meet, 0."""
    before: list[Box] = field(default_factory=list)
    """The boxes of the same lane that its entrants come from."""
    y: float = 0.0

    @property
    def x(self) -> int:
        """Return its left edge."""
        return (self.pairing.round - 1) * (_WIDTH + _GAP)


def can_be_drawn(pairings: Sequence[Pairing]) -> bool:
    """Return whether there is a bracket of pairs, of a size that can be looked at."""
    return 0 < len(pairings) <= MOST_TIES and all(len(one.entrants) <= 2 for one in pairings)


def draw_bracket(
    pairings: Sequence[Pairing], title: str, rounds: Sequence[str], bye: str, lanes: Sequence[str]
) -> Markup:
    """Return the bracket as SVG; `rounds` are the headings of the columns, `bye` what stands beside who rests.

    `lanes` names the parts of the unbeaten and of those who lost once; it is shown where there are both.
    """
    boxes = _boxes(pairings)
    lane_numbers, tops, bottom = sorted({box.lane for box in boxes}), {}, float(_HEAD)
    for lane in lane_numbers:
        own, tops[lane] = [box for box in boxes if box.lane == lane], bottom
        _spread(own, bottom + (_LANE if len(lane_numbers) > 1 else 0))
        bottom = max(box.y for box in own) + _SLOT
    bottom -= _SLOT
    width, height = len(rounds) * (_WIDTH + _GAP) - _GAP + 2, round(bottom + _ROW + 8)
    heads = Markup("").join(
        Markup('<text class="br-head" x="{}" y="16">{}</text>').format(number * (_WIDTH + _GAP) + 1, text)
        for number, text in enumerate(rounds)
    )
    heads += Markup("").join(
        Markup('<text class="br-lane" x="1" y="{:.0f}">{}</text>').format(top + 24, lanes[lane])
        for lane, top in tops.items()
        if len(tops) > 1
    )
    lines = Markup("").join(
        Markup('<path class="br-line" d="M{} {:.0f}H{}V{:.0f}H{}"/>').format(
            start.x + _WIDTH, start.y, box.x - _GAP // 2, box.y, box.x
        )
        for box in boxes
        for start in box.before
    )
    drawn = Markup("").join(_draw(box, bye) for box in boxes)
    return Markup(
        '<svg class="bracket" role="img" aria-label="{}" width="{}" height="{}" viewBox="0 0 {} {}">{}{}{}</svg>'
    ).format(title, width, height, width, height, heads, lines, drawn)


def _boxes(pairings: Iterable[Pairing]) -> list[Box]:
    last: dict[str, Box] = {}
    boxes = []
    for pairing in pairings:
        losses = {one.lost for one in pairing.entrants}
        came_from = {id(found): found for one in pairing.entrants if (found := last.get(one.version_id)) is not None}
        box = Box(pairing, min(losses))
        box.before = [one for one in came_from.values() if one.lane == box.lane or len(losses) > 1]
        boxes.append(box)
        last.update(dict.fromkeys((one.version_id for one in pairing.entrants), box))
    return boxes


def _spread(lane: Sequence[Box], top: float) -> None:
    """Put each box halfway between those that it follows, the others below one another, and move overlaps apart."""
    placed: set[int] = set()
    slots = 0

    def put(box: Box) -> None:
        nonlocal slots
        if id(box) in placed:
            return
        placed.add(id(box))
        before = [one for one in box.before if one.lane == box.lane]
        for one in before:
            put(one)
        if before:
            box.y = sum(one.y for one in before) / len(before)
        else:
            box.y = top + _SLOT / 2 + slots * _SLOT
            slots += 1

    for box in sorted(lane, key=lambda one: -one.pairing.round):
        put(box)
    columns: defaultdict[int, list[Box]] = defaultdict(list)
    for box in lane:
        columns[box.pairing.round].append(box)
    for column in columns.values():
        column.sort(key=lambda one: one.y)
        for upper, lower in pairwise(column):
            lower.y = max(lower.y, upper.y + _SLOT - 4)


def _draw(box: Box, bye: str) -> Markup:
    top = box.y - _ROW * len(box.pairing.entrants) / 2
    rows = Markup("").join(
        _row(one, box.x, top + number * _ROW, "" if len(box.pairing.entrants) > 1 else bye)
        for number, one in enumerate(box.pairing.entrants)
    )
    kind = "br-box" if len(box.pairing.entrants) > 1 else "br-box br-bye"
    return Markup('<rect class="{}" x="{}" y="{:.0f}" width="{}" height="{}" rx="4"/>{}').format(
        kind, box.x + 1, top, _WIDTH - 1, _ROW * len(box.pairing.entrants), rows
    )


def _row(one: Paired, x: int, top: float, bye: str) -> Markup:
    name = one.bot if len(one.bot) <= _LONGEST_NAME else f"{one.bot[: _LONGEST_NAME - 1]}…"
    mark = mark_of(one.bot).svg(14).replace("<svg ", Markup(f'<svg x="{x + 6}" y="{top + 5:.0f}" '), 1)
    kind = "br-on" if one.goes_on and not bye else "br-out" if one.goes_on is False else "br-open"
    return Markup(
        '{}<text class="br-name {}" x="{}" y="{:.0f}"><title>{}</title>{}</text>'
        '<text class="br-points {}" x="{}" y="{:.0f}" text-anchor="end">{}</text>'
    ).format(
        mark, kind, x + 26, top + 16, one.bot, escape(name), kind, x + _WIDTH - 8, top + 16, bye or str(one.points)
    )
