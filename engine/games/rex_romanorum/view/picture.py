"""The position as a picture of 800 by 1102, in many small parts: the last move, map and corners, electors, holdings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from textwrap import wrap
from typing import Final

from engine.abilities import Move, View
from engine.games.rex_romanorum.board import DIOCESE_COUNT, DIOCESES, REGIONS, TITLES
from engine.games.rex_romanorum.rules.land import CARDS_DRAWN
from engine.games.rex_romanorum.scoring import figures_of, outcome, production, wealth
from engine.games.rex_romanorum.state import END, FIGHT, FIGHT_ON, KEEP, NOBODY, PHASES, RexState
from engine.games.rex_romanorum.view import geography, pieces
from engine.games.rex_romanorum.view.geography import abbreviated
from engine.games.rex_romanorum.view.pieces import castle, church, crown, die, shield
from engine.games.rex_romanorum.view.sentences import battlefield, headline, scoring_steps, steps_of
from engine.games.rex_romanorum.view.text import churches_of, labels, letter_of, phase_label, status
from engine.picture import Picture, box, clipped, filled, group, part, text, titled

_WIDTH: Final = geography.WIDTH
_BANNER_TOP: Final = 8
_BANNER_HEIGHT: Final = 74
_MAP_TOP: Final = _BANNER_TOP + _BANNER_HEIGHT + 6
_ELECTORS_TOP: Final = _MAP_TOP + geography.HEIGHT + 2
_TABLE_TOP: Final = _ELECTORS_TOP + 36
_BANNER_LEFT: Final = 8
_BANNER_WIDTH: Final = 784
_BANNER_TEXT: Final = 52
"""Where the words begin."""
_BANNER_LETTERS: Final = 81
"""How many letters fit on a line."""
_BANNER_LINE: Final = 20
_DIE: Final = 24
_GAP: Final = 16
"""Between the dice of two steps."""
_WHO_LETTER: Final = 10.0
_MOST_LINES: Final = 3
_MOST_THROWS: Final = 10
"""With a label and a die each, no more find room."""
_PANELS_STYLE: Final = (
    ".back{fill:#8b5e3c;stroke:#3d2a1a}.none{fill:none;stroke:#7a6a45;stroke-dasharray:3 3}"
    ".slot{fill:#fff;stroke:#b8860b}.kept{fill:#fff3c4;stroke:#111;stroke-width:2}.new{fill:#fff3c4;stroke:#b8860b;stroke-width:2}"
)
_TITLE_REGIONS: Final = {"pfalz": "kurpfalz"}
"""Electors who are not called like the region or the land whose they are."""
_SMALL: Final = 8.5
"""Width of a letter of 15 units."""
_CORNER: Final = (560, 646, 226, 114)
"""Of the legend, or of an election: left, top, width and height."""
_TABLE_HEIGHT: Final = 200
_HEIGHT: Final = _TABLE_TOP + _TABLE_HEIGHT + 8
_LEFT: Final = 8
_TABLE_WIDTH: Final = 784
_HEADING: Final = 28
_WORDS: Final = {"gold": 266, "production": 347, "wealth": 435, "regions": 516}
"""Where the columns with words above them have their middle."""
_CASTLES: Final = 573
_CHURCHES: Final = (608, 636, 664)
_FIGURES: Final = (700, 732, 764)
_COLUMNS: Final = (*_WORDS.values(), _CASTLES, *_CHURCHES, *_FIGURES)
_ROOMY: Final = 25
"""From this half of its height on, a row has two lines."""
_SCORED_FROM: Final = 214
_NAME_LETTER: Final = 10.7
_TABLE_STYLE: Final = (
    ".turn{fill:#fff3c4;stroke:#b8860b;stroke-width:2.5}.up{fill:#ffe100;stroke:#222}.v{font-weight:bold}"
    ".rule{stroke:#cbbd98}.q{fill:#5a5142}"
)
_STYLE: Final = (
    (
        "text{font-family:Arial,Helvetica,sans-serif;font-size:18px;fill:#222}.c{text-anchor:middle}.r{text-anchor:end}"
        ".b{font-weight:bold}.s{font-size:16px}.l{font-size:15px}.page{fill:#f9f1dc;stroke:#7a6a45;stroke-width:3}"
        ".title{font-family:serif;font-size:26px;font-weight:bold;text-anchor:middle}.box{fill:#fbf6e8;stroke:#7a6a45;stroke-width:1.5}"
    )
    + pieces.STYLE
    + geography.STYLE
    + _PANELS_STYLE
    + _TABLE_STYLE
)


def draw(state: RexState, view: View) -> Picture:
    """Return the whole position as a picture; what the last move changed glows."""
    names = labels(view.language)
    title = f"{names['title']} · {_status(state, names)}"
    return Picture(
        _WIDTH, _HEIGHT, title, _STYLE, pieces.DEFS + geography.ground_defs(), tuple(_parts(state, view, names))
    )


def _parts(state: RexState, view: View, names: Mapping[str, str]) -> Iterator[str]:
    yield part(f'<rect class="page" width="{_WIDTH}" height="{_HEIGHT}"/>')
    for drawing in draw_banner(view):
        yield part(drawing, down=_BANNER_TOP)
    yield from geography.map_parts(state, view, names, _MAP_TOP)
    # The election that is held, or the legend while there is none, and a part for each seat that may stand.
    parts = [_legend(names)] if state.election is None else list(_election(state, names))
    parts[0] = box(0, 0, *_CORNER[2:]) + parts[0]
    corner = (group(_CORNER[0], _CORNER[1], drawn) if drawn else "" for drawn in filled(parts, 1 + state.seats))
    for drawing in (*draw_cartouche(state, names), *draw_cards(state, view, names), *corner):
        yield part(drawing, down=_MAP_TOP)
    for drawing in draw_electors(state, view.last, names):
        yield part(drawing, down=_ELECTORS_TOP)
    for drawing in draw_table(state, view, names):
        yield part(drawing, down=_TABLE_TOP)


def _status(state: RexState, names: Mapping[str, str]) -> str:
    """Return round, who decides by his house, and what; or king and ranks."""
    if state.decider is None:
        return status(state, names)
    house = f"{letter_of(state.decider)} · {names[f'arms_{state.decider}']}"
    start = f"{names['round']} {state.round}/{state.options.round_limit}"
    return f"{start} · {house} {names['decides']}: {phase_label(PHASES[state.phase], names)}"


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice that were thrown together."""

    who: str
    dice: tuple[int, ...]
    hits: tuple[bool, ...]


def draw_banner(view: View) -> list[str]:
    """Return the parts of the last move, as many for every position: its box, its seat, its lines, its throws."""
    move, frame = view.last, box(_BANNER_LEFT, 0, _BANNER_WIDTH, _BANNER_HEIGHT)
    if move is None:
        lines = wrap(labels(view.language)["start"], _BANNER_LETTERS)
        first = 20 + (_MOST_LINES - len(lines)) * _BANNER_LINE / 2
        drawn = (text(_BANNER_LEFT + 14, first + _BANNER_LINE * place, line, "s") for place, line in enumerate(lines))
        return filled([frame, *drawn], 2 + _MOST_LINES + _MOST_THROWS)
    throws = list(throws_of(move))
    most = _MOST_LINES - 1 if throws else _MOST_LINES
    lines = wrap(" ".join(headline(move, view.language)), _BANNER_LETTERS, max_lines=most, placeholder=" …")
    first = 20 + (0 if throws else (_MOST_LINES - len(lines)) * _BANNER_LINE / 2)
    rows = [text(_BANNER_TEXT, first + _BANNER_LINE * place, line, "s") for place, line in enumerate(lines)]
    seat = shield(move.seat, _BANNER_LEFT + 22, 24 if throws else _BANNER_HEIGHT / 2)
    return [frame, seat, *filled(rows, _MOST_LINES), *filled(dice_row(throws, _BANNER_HEIGHT - 26), _MOST_THROWS)]


def throws_of(move: Move) -> Iterator[Throw]:
    """Yield the dice of a move, step by step of a fight or throw by throw for a tie."""
    before: RexState = move.before
    dice = [seen.values for seen in move.chance if seen.kind == "d6"]
    if not dice:
        return
    if before.phase in (FIGHT, FIGHT_ON):
        seats = (before.active, before.owner[battlefield(move)])
        for step in steps_of(move):
            yield Throw(f"{letter_of(seats[step.side])} {len(step.dice)}{'FAK'[step.kind]}", step.dice, step.hits)
        return
    assert before.election is not None
    rolling = list(before.election.ballot)
    for thrown in dice:
        highest = max(thrown)
        who = " ".join(map(letter_of, rolling))
        yield Throw(who, thrown, tuple(number == highest for number in thrown))
        rolling = [seat for seat, number in zip(rolling, thrown, strict=True) if number == highest]


def dice_row(throws: list[Throw], y: float) -> list[str]:
    """Return the throws, to stand side by side; those for which there is no room are counted."""
    drawn, x, end = [], float(_BANNER_TEXT), _BANNER_LEFT + _BANNER_WIDTH
    for place, throw in enumerate(throws):
        label = _WHO_LETTER * len(throw.who) + 4
        if x + label + _DIE * len(throw.dice) > end - 52:
            room = max(0, int((end - 52 - x - label) / _DIE))
            if room:
                drawn.append(group(x, y, _throw(throw, label, room)))
            left = sum(len(each.dice) for each in throws[place:]) - room
            drawn.append(text(end - 10, y + 17, f"+{left}", "r b"))
            break
        drawn.append(group(x, y, _throw(throw, label, len(throw.dice))))
        x += label + _DIE * len(throw.dice) + _GAP
    return drawn


def _throw(throw: Throw, label: float, most: int) -> str:
    shown = zip(throw.dice[:most], throw.hits[:most], strict=True)
    dice = (die(number, label + _DIE * place, 0, is_hit=is_hit) for place, (number, is_hit) in enumerate(shown))
    return text(0, 17, throw.who, "s b") + "".join(dice)


def draw_cartouche(state: RexState, names: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the name of the game, the round, and who decides what, a part each."""
    told = names["finished"]
    if state.phase != END:
        told = f"{names['round']} {state.round}/{state.options.round_limit} · {names[f'arms_{state.decider}']}"
    title, time = box(16, 8, 272, 92) + text(152, 36, names["title"], "title"), text(152, 61, told, "c")
    if state.decider is None:
        king = names["no_king"] if state.king == NOBODY else f"{names['king']}: {names[f'arms_{state.king}']}"
        return title, time, text(152, 86, king, "c s")
    phase = clipped(phase_label(PHASES[state.phase], names), 26)
    return title, time, shield(state.decider, 34, 81) + text(50, 86, phase, "s")


def draw_cards(state: RexState, view: View, names: Mapping[str, str]) -> list[str]:
    """Return pile, discards, and the cards that were drawn, a part each; those just bought are filled."""
    drawn, kept = list(state.drawn), set[int]()
    if view.last is not None and view.last.before.phase == KEEP:
        drawn = list(view.last.before.drawn)
        kept = {region for region in drawn if state.owner[region] != NOBODY}
    piles = _stack(52, len(state.pile), names["pile"]), _stack(126, len(state.discards), names["discards"])
    rows = []
    for y, region in zip(count(693, 23), drawn, strict=False):
        name, kind = names[REGIONS[region]], "kept" if region in kept else "slot"
        frame = f'<rect class="{kind}" x="174" y="{y:g}" width="172" height="21" rx="4"/>'
        rows.append(titled(name) + frame + text(260, y + 16, abbreviated(name, 18), "c l b"))
    return [box(16, 690, 152, 72), *piles, *filled(rows, CARDS_DRAWN)]


def _stack(x: float, number: int, name: str) -> str:
    back = '<rect class="back" x="-11" y="-15" width="22" height="30" rx="3"/>'
    behind = f'<g transform="translate(3 -2)">{back}</g>' if number > 1 else ""
    pile = behind + back if number else '<rect class="none" x="-11" y="-15" width="22" height="30" rx="3"/>'
    return group(x - 14, 718, pile) + text(x + 5, 725, number, "b") + text(x, 755, name, "c l")


def draw_electors(state: RexState, last: Move | None, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what the row is, and the seven electors in the order of their votes, each with who holds the title."""
    yield text(8, 22, names["titles"], "l b")
    called = [names[_TITLE_REGIONS.get(TITLES[title], TITLES[title])] for title in state.options.vote_order]
    widths = [27 + _SMALL * len(name) for name in called]
    x = 16 + 9.2 * len(names["titles"])
    gap = (792 - x - sum(widths)) / len(called)
    for title, name, width in zip(state.options.vote_order, called, widths, strict=True):
        holder = state.titles[title]
        is_new = last is not None and last.before.titles[title] != holder
        row = box(-3, -16, width + 2, 32, "new") if is_new else ""
        empty = '<path class="none" d="M1 -11H23V2C23 8 17 10 12 12C7 10 1 8 1 2Z"/>'
        row += (empty if holder == NOBODY else shield(holder, 12, 0)) + text(26, 5, name, "l")
        yield group(x, 17, row, title=names[f"title_{TITLES[title]}"])
        x += width + gap


def _election(state: RexState, names: Mapping[str, str]) -> Iterator[str]:
    """Yield for what is voted, then who stands, with votes and offers."""
    held = state.election
    assert held is not None
    what = names["king"] if held.diocese < 0 else names[f"title_{DIOCESES[held.diocese]}"]
    drawn = text(10, 22, what, "s b") + text(10, 79, names["votes"], "l")
    yield drawn + (text(10, 103, names["offer"], "l") if held.diocese < 0 else "")
    for place, seat in enumerate(held.candidates):
        x = 100 + 27 * place
        offer = text(x, 104, held.offers[seat], "c") if held.diocese < 0 else ""
        yield shield(seat, x, 46) + text(x, 80, held.votes[seat], "c b") + offer


def _legend(names: Mapping[str, str]) -> str:
    churches = "".join(church(diocese, 16 + 22 * diocese, 15) for diocese in range(DIOCESE_COUNT))
    shown = churches + text(76, 20, names["church"], "l") + castle(140, 15) + text(154, 20, names["castle"], "l")
    for place, kind in enumerate("FAK"):
        base = 42 + 21 * place
        shown += text(16, base, kind, "c b") + text(30, base, names[kind], "l")
    glow = "".join(f'<rect class="{kind}" x="8" y="95" width="17" height="12"/>' for kind in ("edge", "edge last"))
    return shown + glow + text(36, 106, names["last_move"], "l")


def draw_table(state: RexState, view: View, names: Mapping[str, str]) -> list[str]:
    """Return the parts of the table, as many for every position."""
    steps = scoring_steps(state, view.language)
    if steps:
        height = (_TABLE_HEIGHT - _HEADING - 4) / (len(steps) + 2)
        bases = [_HEADING + height * place + 15 for place in range(len(steps) + 2)]
        found, width = [""], int((_at(state, 1) - _at(state, 0) - 34) / 9)
        for seat in range(state.seats):
            name = clipped(_player(seat, view, names), width)
            found[0] += shield(seat, _at(state, seat) + 12, 14) + text(_at(state, seat) + 28, 20, name, "l b")
        for base, step in zip(bases, steps, strict=False):
            points = "".join(
                text(_at(state, seat) + 60, base, amount or "·", "r s") for seat, amount in enumerate(step.points)
            )
            found.append(_rule(base) + text(24, base, step.label, "l") + points)
        sums, base = _rule(bases[-2]), bases[-2]
        for seat, (total, rank) in enumerate(zip(steps[-1].sums, outcome(state).ranks, strict=True)):
            x = _at(state, seat)
            medal = f'<circle class="{"medal" if rank == 1 else "miss"}" cx="{x + 76:g}" cy="{base - 5:g}" r="9"/>'
            king = crown(x + 12, base - 5) if state.king == seat else ""
            sums += text(x + 60, base, total, "r b") + medal + text(x + 76, base, rank, "c l b") + king
        found.append(sums)
        inner = [*found, _rule(bases[-1]) + text(24, bases[-1] + 1, steps[-1].note, "s")]
    else:
        heading = "".join(text(x, 20, names[word], "c l q") for word, x in _WORDS.items())
        heading += castle(_CASTLES, 14) + "".join(church(diocese, x, 14) for diocese, x in enumerate(_CHURCHES))
        heading += "".join(text(x, 20, kind, "c b") for kind, x in zip("FAK", _FIGURES, strict=True))
        inner = [heading, *(drawn for seat in range(state.seats) for drawn in _row(state, seat, view, names))]
    return filled([box(_LEFT, 0, _TABLE_WIDTH, _TABLE_HEIGHT), *inner], 2 + state.seats * (1 + len(_COLUMNS)))


def _player(seat: int, view: View, names: Mapping[str, str]) -> str:
    return view.name_of(seat) or names[f"arms_{seat}"]


def _row(state: RexState, seat: int, view: View, names: Mapping[str, str]) -> Iterator[str]:
    """Yield who plays a seat, then each amount that it owns; what the last move changed is marked."""
    height = (_TABLE_HEIGHT - _HEADING - 4) / state.seats
    middle, decides = height / 2, seat == state.decider
    before = state if view.last is None else view.last.before
    frame = box(_LEFT + 3, 1, _TABLE_WIDTH - 6, height - 2, "turn") if decides else ""
    name = clipped(_player(seat, view, names), int(184 / _NAME_LETTER))
    drawn = titled(f"{letter_of(seat)} · {names[f'arms_{seat}']}") + frame + shield(seat, 30, middle)
    house = names[f"arms_{seat}"]
    classes = "b" if decides else ""
    drawn += (
        text(50, middle + 6, name, classes)
        if middle < _ROOMY or name == house
        else text(50, middle - 3, name, classes) + text(50, middle + 16, house, "s q")
    )
    top = _HEADING + height * seat
    yield group(0, top, drawn)
    for x, now, then in zip(_COLUMNS, _amounts(state, seat), _amounts(before, seat), strict=True):
        width, base = 8 + 11 * len(str(now)), top + middle
        pill = f'<rect class="up" x="{x - width / 2:g}" y="{base - 11:g}" width="{width}" height="22" rx="8"/>'
        yield (pill if now != then else "") + text(x, base + 7, now if now != then else now or "·", "c v")


def _amounts(state: RexState, seat: int) -> tuple[int, ...]:
    land = state.land[seat]
    return (
        state.gold[seat],
        production(state, seat),
        wealth(state, seat),
        land.bit_count(),
        (state.castles & land).bit_count(),
        *churches_of(state, seat),
        *figures_of(state, seat),
    )


def _at(state: RexState, seat: int) -> float:
    return _SCORED_FROM + (_LEFT + _TABLE_WIDTH - _SCORED_FROM) / state.seats * seat


def _rule(base: float) -> str:
    return f'<path class="rule" d="M20 {base - 15:g}H{_LEFT + _TABLE_WIDTH - 12}"/>'
