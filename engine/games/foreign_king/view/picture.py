"""The position as a picture of 800 by 1060, in many small parts: score track, map, its panels, table of holdings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.abilities import View
from engine.games.foreign_king.actions import ACTIONS, SPACE_COUNT
from engine.games.foreign_king.board import PROVINCE_COUNT, PROVINCES
from engine.games.foreign_king.scoring import control, outcome
from engine.games.foreign_king.state import END, FIRST_MARKER, SUPPLY, ForeignKingState, colour_count, spaces_of
from engine.games.foreign_king.view import geography, pieces
from engine.games.foreign_king.view.pieces import FILLS, PALE, Scene, factory, ghost, ring, token
from engine.games.foreign_king.view.sentences import scoring_steps
from engine.games.foreign_king.view.text import king_place, labels, status
from engine.picture import Picture, box, clipped, group, part, text, wrapped

_TRACK_HEIGHT: Final = 118
_TRACK_LEFT: Final = 26
_TRACK_STEP: Final = 24.4
_TRACK_NUMBERS: Final = 28
"""Height of the row of numbers."""
_TRACK_LANES: Final = _TRACK_HEIGHT - _TRACK_NUMBERS
_TRACK_STYLE: Final = (
    ".lane{fill:#f4ecd8;stroke:#cbbd98}.fifth{stroke:#b8a97f;stroke-width:1}.done{fill:#7a6a45;fill-opacity:.22}"
    ".meet{stroke:#3d2c00;stroke-width:3}.flag{fill:#ffcf33;stroke:#3d2c00;stroke-width:1.5}.gain{fill:#ffe100;stroke:#222}"
)
_SPACE_WIDTH: Final = 164
_SPACE_HEIGHT: Final = 50
_SPACE_PITCH: Final = 54
_SPACES_LEFT: Final = 14
_SPACES_BOTTOM: Final = 620
_LABEL_LETTER: Final = 8.8
_SUPPLY_LEFT: Final = 704
_ORDER_PITCH: Final = 38
_LEGEND_SIGN: Final = 57
_LEGEND_LETTER: Final = 8.2
_PANELS_STYLE: Final = (
    "".join(f".e{seat}{{stroke:{fill}}}" for seat, fill in enumerate(FILLS[:4]))
    + ".box{fill:#fbf6e8;stroke:#7a6a45;stroke-width:1.3}.taken{fill:#fff;stroke-width:3}"
    ".new{stroke:#222;stroke-width:9}"
    ".newer{fill:#fff8cf;stroke:#ffe100;stroke-width:6}.icon{fill:none;stroke:#7a6a45;stroke-width:2.2;"
    "stroke-linejoin:round;stroke-linecap:round}.icon .full{fill:#7a6a45;stroke:none}"
)
_ICONS: Final = (
    '<path d="M-13 11V-2L-6-8V-2L1-8V-2L6-6V-13H10V-6L13-2V11Z"/>',
    '<circle r="5" cy="-7"/><path d="M-9 12C-9-2 9-2 9 12Z"/>',
    '<path d="M-13 0H12M5-7L13 0L5 7M-13-9V9"/>',
    '<path d="M-13-4L0-12L13-4ZM-10 12V-1M-3 12V-1M3 12V-1M10 12V-1M-14 12H14"/>',
    '<circle r="8" cx="-4" cy="3"/><path d="M2-7A8 8 0 1 1 5 8M-4-1V7"/>',
    '<path d="M-12 9L-14-7L-6 0L0-10L6 0L14-7L12 9Z"/>',
    '<path d="M-10 11L-13-4L-5 2L0-7L5 2L13-4L10 11ZM0-13V-9M-2-11H2"/>',
    '<path d="M-9 10V-11M-14-5L-9-11L-4-5M9-11V10M4 4L9 10L14 4"/>',
)
_WIDTH: Final = 800
_MOST_COLOURS: Final = 4
_TRACK_TOP: Final = 48
_MAP_TOP: Final = _TRACK_TOP + _TRACK_HEIGHT + 8
_TABLE_TOP: Final = _MAP_TOP + geography.HEIGHT + 8
_TABLE_HEIGHT: Final = 206
_LEGEND_TOP: Final = _TABLE_TOP + _TABLE_HEIGHT + 2
_HEIGHT: Final = _LEGEND_TOP + 46
_TABLE_WIDTH: Final = 784
_MOST_PARTS: Final = 11
"""The frame, a heading, and at most seven steps of the scoring with their sum and a note."""
_HEADING: Final = 32
_MINUS: Final = "\N{MINUS SIGN}"
_COLUMNS: Final = ("score", "francs", "hand", "medals", "loans")
_FIRST_COLUMN: Final = 342
_COLUMN: Final = 96
_NAME_LETTER: Final = 10.7
_TABLE_STYLE: Final = (
    ".turn{fill:#fff3c4;stroke:#b8860b;stroke-width:2.5}.up{fill:#ffe100;stroke:#222}.v{font-size:22px}.q{fill:#6b5d3f}"
)
_STYLE: Final = (
    (
        "text{font-family:Arial,Helvetica,sans-serif;font-size:18px;fill:#222}.c{text-anchor:middle}.r{text-anchor:end}.b{font-weight:bold}"
        ".s{font-size:16px}.l{font-size:15px}.a{font-size:15.5px}.h{font-size:20px;font-weight:bold}.f{font-weight:normal}"
        ".title{font-family:serif;font-size:30px;font-weight:bold}.page{fill:#f9f1dc;stroke:#7a6a45;stroke-width:3}"
        ".o{paint-order:stroke;stroke:#fbf6e8;stroke-width:4px;stroke-linejoin:round}.frame{fill:none;stroke:#7a6a45;stroke-width:2.5}"
    )
    + pieces.STYLE
    + geography.STYLE
    + _PANELS_STYLE
    + _TRACK_STYLE
    + _TABLE_STYLE
)
_SCORED_FROM: Final = 258
_COMMON_STEPS: Final = 6
"""Those of all colours; two of the virtual player alone follow them."""
_COUNTED: Final = {1: "loans", 2: "control", 3: "medals", 4: "congress", 5: "francs"}
"""What those steps compare, by their place."""


def draw(state: ForeignKingState, view: View) -> Picture:
    """Return the whole position as a picture; what the last move changed glows."""
    names = labels(view.language)
    before = view.last.before if view.last else state
    scene = Scene(state, before, view.language, names, view.names)
    title = (
        f"{names['title']} · {status(state, names, is_numbered=False)} · {names['king']}: {king_place(state, names)}"
    )
    parts = (
        part(f'<rect class="page" width="{_WIDTH}" height="{_HEIGHT}"/>'),
        part(text(16, 35, scene.names["title"], "title")),
        part(draw_order(scene)),
        part(draw_track(scene), down=_TRACK_TOP),
        *(part(draw_lane(scene, colour), down=_TRACK_TOP) for colour in range(_MOST_COLOURS)),
        *(part(drawing, place=place, down=_MAP_TOP) for drawing, place in _draw_map(scene)),
        *(part(drawing, down=_TABLE_TOP) for drawing in draw_table(scene)),
        part(draw_legend(scene), down=_LEGEND_TOP),
    )
    return Picture(_WIDTH, _HEIGHT, title, _STYLE, pieces.DEFS + geography.DEFS, parts)


def _draw_map(scene: Scene) -> list[tuple[str, str]]:
    """Return what is drawn on the map, one over the other, with the id of the place that it stands for."""
    spaces = [(draw_space(scene, space), ACTIONS.names[space]) for space in range(SPACE_COUNT)]
    return [
        (geography.draw_surroundings(scene), ""),
        *((geography.draw_land(scene, index), "") for index in range(PROVINCE_COUNT)),
        (geography.draw_rivers(), ""),
        (f'<rect class="frame" x="8" width="{_WIDTH - 16}" height="{geography.HEIGHT}"/>', ""),
        (geography.draw_changed(scene), ""),
        *((geography.draw_content(scene, index), name) for index, name in enumerate(PROVINCES)),
        (geography.draw_portrait(scene), ""),
        *spaces,
        (draw_congress(scene), ""),
        (box(_SUPPLY_LEFT, 8, 82, 110) + text(_SUPPLY_LEFT + 41, 28, scene.names["supply_short"], "c b s"), ""),
        *((draw_supplied(scene, kind), kind) for kind in "MT"),
    ]


def _track_x(value: int) -> float:
    """Return how far to the right a number of the track lies; all beyond its end lie on the end."""
    return _TRACK_LEFT + _TRACK_STEP * (0.5 + min(value, FIRST_MARKER))


def draw_track(scene: Scene) -> str:
    """Return the lanes, numbered, and what the marker has passed; nothing in it but the marker changes."""
    width = _TRACK_STEP * (FIRST_MARKER + 1)
    marker = scene.state.marker
    fifths, top, lanes = range(0, FIRST_MARKER + 1, 5), _TRACK_NUMBERS, _TRACK_LANES
    lines = "".join(f'<path class="fifth" d="M{_track_x(value):g} {top}v{lanes}"/>' for value in fifths)
    numbers = "".join(text(_track_x(value), 20, value, "c s") for value in fifths if abs(value - marker) > 2)
    passed = _track_x(FIRST_MARKER) + _TRACK_STEP / 2 - _track_x(marker)
    return (
        f'<rect class="lane" x="{_TRACK_LEFT}" y="{top}" width="{width:g}" height="{lanes}"/>{lines}{numbers}'
        f'<rect class="done" x="{_track_x(marker):g}" y="{top}" width="{passed:g}" height="{lanes}"/>'
        f"{_marker(scene)}"
    )


def _marker(scene: Scene) -> str:
    x = _track_x(scene.state.marker)
    lit = ' stroke="#ffe100" stroke-width="6"' if scene.state.marker != scene.before.marker else ""
    glow = f'<rect x="-27" y="1" width="54" height="26" rx="6" fill="none"{lit}/>' if lit else ""
    crown = '<use href="#fk-c" class="crown" transform="translate(-13 14) scale(.5)"/>'
    flag = f'{glow}<rect class="flag" x="-27" y="1" width="54" height="26" rx="6"/>{crown}'
    line = f'<path class="meet" d="M0 27V{_TRACK_HEIGHT}"/>'
    title = f"{scene.names['marker']} {scene.state.marker}"
    return group(x, 0, f"{line}{flag}{text(12, 20, scene.state.marker, 'c s b')}", title=title)


def draw_lane(scene: Scene, colour: int) -> str:
    """Return the score of a colour as a bar with its piece, its number beside it; a gain of the last move glows."""
    if colour >= colour_count(scene.state):
        return ""
    height = _TRACK_LANES / colour_count(scene.state)
    score, before = scene.state.scores[colour], scene.before.scores[colour]
    style = scene.style(colour)
    start, end = _TRACK_LEFT, _track_x(score)
    bar = (
        f'<rect x="{start}" y="{height * 0.22:.1f}" width="{end - start:g}" height="{height * 0.56:.1f}" rx="3"'
        f' fill="{PALE[style]}" stroke="{FILLS[style]}"/>'
    )
    if score > before:
        gained = f'y="{height * 0.22:.1f}" width="{end - _track_x(before):g}" height="{height * 0.56:.1f}"'
        bar += f'<rect class="gain" x="{_track_x(before):g}" {gained}/>'
    scale = min(height / 41, 0.75)
    piece = token(scene, colour, end, height / 2, lit=score > before, scale=scale)
    beside = 24 * scale + 3
    number = (end - beside, "r b") if score > FIRST_MARKER - 3 else (end + beside, "b")
    shown = text(number[0], height / 2 + 6, score, f"{number[1]} o")
    return group(0, _TRACK_NUMBERS + height * colour, bar + piece + shown)


def draw_space(scene: Scene, space: int) -> str:
    """Return a space of the action table with the pawn on it, or nothing if this number of seats does not have it."""
    exists = spaces_of(scene.state.seats)
    if not exists >> space & 1:
        return ""
    place = (exists & ((1 << space) - 1)).bit_count()
    label = wrapped(
        54, _SPACE_HEIGHT / 2 + 1, scene.names[ACTIONS.names[space]], 108, "a", letter=_LABEL_LETTER, line=17
    )
    x = _SPACES_LEFT + (_SPACE_WIDTH + 4) * (place % 2)
    rows = exists.bit_count() // 2 + exists.bit_count() % 2
    y = _SPACES_BOTTOM - _SPACE_PITCH * (rows - place // 2)
    # The frame is in the colour of the pawn on the space, or aglow if the pawn has just come.
    if space not in scene.state.pawns:
        icon = f'<g class="icon" transform="translate(27 {_SPACE_HEIGHT / 2:g})">{_ICONS[space]}</g>'
        return box(x, y, _SPACE_WIDTH, _SPACE_HEIGHT) + group(x, y, icon + label)
    seat = scene.state.pawns.index(space)
    is_new = scene.before.pawns[seat] != space
    frames = ("new", "newer") if is_new else (f"taken e{seat}",)
    frame = "".join(box(x, y, _SPACE_WIDTH, _SPACE_HEIGHT, classes) for classes in frames)
    pawn = token(scene, seat, 27, _SPACE_HEIGHT / 2, lit=is_new, scale=0.95)
    return frame + group(x, y, pawn + label)


def draw_congress(scene: Scene) -> str:
    """Return the Congress with the discs in it."""
    height = 30 + 46 * ((scene.state.seats + 1) // 2)
    parts = [box(0, 0, 128, height), text(64, 22, scene.names["congress"], "c b s")]
    for seat in range(scene.state.seats):
        now, then = scene.state.congress[seat], scene.before.congress[seat]
        x, y = 38 + 52 * (seat % 2), 50 + 46 * (seat // 2)
        if now:
            parts.append(token(scene, seat, x, y, now, lit=now != then))
        elif then:
            parts.append(ghost(scene, seat, x, y))
        else:
            parts.append(f'<circle class="icon" cx="{x:g}" cy="{y:g}" r="15" stroke-dasharray="2 5"/>')
    return group(356, 618 - height, "".join(parts))


def draw_supplied(scene: Scene, kind: str) -> str:
    """Return the factories of a kind that are not yet built."""
    now, then = (SUPPLY.counts(state.supply)[kind] for state in (scene.state, scene.before))
    y = 54 + 40 * "MT".index(kind)
    number = text(_SUPPLY_LEFT + 46, y + 9, f"\N{MULTIPLICATION SIGN}{now}", "b")
    return factory(scene, kind, _SUPPLY_LEFT + 24, y, lit=now != then) + number


def draw_order(scene: Scene) -> str:
    """Return round and order track, right-aligned, with a dashed ring around each seat that claimed a change."""
    state, names = scene.state, scene.names
    heading = names["finished"] if state.phase == END else f"{names['round']} {state.round} · {names['order']}"
    parts = [text(-_ORDER_PITCH * state.seats - 8, 6, heading, "r h f")]
    for place, seat in enumerate(state.order):
        x = _ORDER_PITCH * (place - state.seats + 0.5)
        if seat in state.claims:
            parts.append(f'<circle cx="{x:g}" r="20" fill="none" stroke="#222" stroke-dasharray="4 3"/>')
        parts.append(token(scene, seat, x, 0, lit=scene.before.order[place] != seat, scale=0.78))
    return group(788, 25, "".join(parts))


def draw_legend(scene: Scene) -> str:
    """Return what the signs mean, in one line."""
    names, points = scene.names, scene.names["score"]
    hatched = '<rect x="-17" y="-13" width="34" height="26" rx="3" fill="url(#fk-p0)" stroke="#5c4d2e"/>'
    glow = f'<g transform="scale(.7)" class="k g">{ring("fk-t0")}<use href="#fk-t0"/></g>'
    entries = (
        (factory(scene, "M", 0, 0), f"{names['metal']} (6 {points})"),
        (factory(scene, "T", 0, 0), f"{names['textile']} (3 {points})"),
        (factory(scene, "m", 0, 0), names["closed"]),
        (hatched, names["majority"]),
        (glow, names["last_move"]),
    )
    shown, x = "", 34.0
    for sign, words in entries:
        shown += group(x, 22, sign + text(25, 5, words, "l"))
        x += _LEGEND_SIGN + _LEGEND_LETTER * len(words)
    return shown


def draw_table(scene: Scene) -> list[str]:
    """Return the parts of the table, as many for every position."""
    is_over = scene.state.phase == END
    found = [box(8, 0, _TABLE_WIDTH, _TABLE_HEIGHT)]
    if is_over:
        found += _scoring(scene)
    else:
        heading = enumerate(_COLUMNS)
        found.append(
            "".join(text(_FIRST_COLUMN + _COLUMN * at, 23, scene.names[word], "c b s q") for at, word in heading)
        )
        found += [_row(scene, colour) for colour in range(colour_count(scene.state))]
    return found + [""] * (_MOST_PARTS - len(found))


def _row(scene: Scene, colour: int) -> str:
    """Return who plays a colour, and what it owns, with the changes by the last move beside the amounts."""
    height = (_TABLE_HEIGHT - _HEADING - 4) / colour_count(scene.state)
    middle = height / 2
    decides = colour == scene.state.decider
    shown = box(11, 1, _TABLE_WIDTH - 6, height - 2, "turn") if decides else ""
    name = clipped(scene.player(colour), int(232 / _NAME_LETTER))
    shown += token(scene, colour, 40, middle) + text(70, middle + 7, name, "h" if decides else "h f")
    for place, word in enumerate(_COLUMNS):
        now, then = (_holding(state, word) for state in (scene.state, scene.before))
        if colour >= len(now):
            continue
        x = _FIRST_COLUMN + _COLUMN * place
        shown += text(x, middle + 8, now[colour], "c v b" if word == "score" else "c v")
        if change := now[colour] - then[colour]:
            content = f"+{change}" if change > 0 else f"{_MINUS}{-change}"
            width = 14 + 10 * len(content)
            left = x + 36 - width / 2
            shown += f'<rect class="up" x="{left:g}" y="{middle - 12:g}" width="{width}" height="24" rx="12"/>'
            shown += text(x + 36, middle + 6, content, "c b s")
    return group(0, _HEADING + height * colour, shown)


def _holding(state: object, word: str) -> Sequence[int]:
    name = {"score": "scores"}.get(word, word)
    amounts: Sequence[int] = getattr(state, name)
    return amounts


def _scoring(scene: Scene) -> list[str]:
    steps = scoring_steps(scene.state, scene.language)
    rows = [(step.label, step.points) for step in steps[:_COMMON_STEPS]]
    if scene.state.seats == 2:
        virtual = zip(*(step.points for step in steps[_COMMON_STEPS:]), strict=True)
        rows.append((scene.names["final_provinces"], tuple(map(sum, virtual))))
    note = steps[-1].note
    height = (_TABLE_HEIGHT - _HEADING - 4) / (len(rows) + 1 + bool(note))
    tops = [_HEADING + height * place for place in range(len(rows) + 2)]
    found = [""]
    for colour in range(colour_count(scene.state)):
        x, name = _SCORED_FROM + _width(scene) * colour, clipped(scene.player(colour), int((_width(scene) - 46) / 9.2))
        found[0] += token(scene, colour, x + 18, 19, scale=0.7) + text(x + 37, 25, name, "s b")
    for place, (label, points) in enumerate(rows):
        base = tops[place] + height / 2 + 6
        # What the step counts or compares, per colour; nothing where that goes without saying.
        word = _COUNTED.get(place, "")
        owned: Sequence[int] = _holding(scene.state, word)[: scene.state.seats] if word not in ("", "control") else ()
        if word == "control":
            owned = control(scene.state).weight
        shown = text(24, base, label, "l")
        for colour, amount in enumerate(points):
            x = _SCORED_FROM + _width(scene) * colour
            if colour < len(owned):
                shown += text(x + 30, base, owned[colour], "r l q")
            if place == 0 or amount:
                shown += text(x + 80, base, _signed(amount, plain=place == 0), "r b")
        found.append(_rule(tops[place]) + shown)
    found.append(_sum(scene, steps[-1].sums, tops[len(rows)], tops[len(rows)] + height / 2 + 6))
    return [*found, text(24, tops[-1] + height / 2 + 6, note, "s")] if note else found


def _width(scene: Scene) -> float:
    return (_TABLE_WIDTH - _SCORED_FROM - 6) / colour_count(scene.state)


def _rule(y: float) -> str:
    return f'<path class="fifth" d="M20 {y:g}H{_TABLE_WIDTH - 4}"/>'


def _sum(scene: Scene, sums: Sequence[int], top: float, base: float) -> str:
    """Return the result, with the rank of each seat; a crown if the virtual player is above both."""
    result = outcome(scene.state)
    shown = text(24, base, scene.names["final_sum"], "s b")
    for colour, amount in enumerate(sums):
        x = _SCORED_FROM + _width(scene) * colour
        shown += text(x + 80, base, _signed(amount, plain=True), "r b")
        if colour < scene.state.seats:
            rank = result.ranks[colour]
            shown += f'<circle class="{"flag" if rank == 1 else "box"}" cx="{x + 104:g}" cy="{base - 6:g}" r="10"/>'
            shown += text(x + 104, base, rank, "c s b")
        elif result.details["virtual_won"]:
            shown += f'<use href="#fk-c" class="crown" transform="translate({x + 106:g} {base - 5:g}) scale(.55)"/>'
    return _rule(top) + shown


def _signed(amount: int, *, plain: bool) -> str:
    if amount < 0:
        return f"{_MINUS}{-amount}"
    return str(amount) if plain else f"+{amount}" if amount else "·"
