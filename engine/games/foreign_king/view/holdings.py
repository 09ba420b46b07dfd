"""The table below the map: what each colour owns, or, once the game is over, the steps of the final scoring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.foreign_king.scoring import control, outcome
from engine.games.foreign_king.state import END, colour_count
from engine.games.foreign_king.view.pieces import Scene, token
from engine.games.foreign_king.view.sentences import scoring_steps
from engine.kit.drawing import box, clipped, group, text

HEIGHT: Final = 206
_WIDTH: Final = 784
_MOST_PARTS: Final = 11
"""The frame, a heading, and at most seven steps of the scoring with their sum and a note."""
_HEADING: Final = 32
_MINUS: Final = "\N{MINUS SIGN}"
_COLUMNS: Final = ("score", "francs", "hand", "medals", "loans")
_FIRST_COLUMN: Final = 342
_COLUMN: Final = 96
_NAME_LETTER: Final = 10.7
STYLE: Final = (
    ".turn{fill:#fff3c4;stroke:#b8860b;stroke-width:2.5}.up{fill:#ffe100;stroke:#222}.v{font-size:22px}.q{fill:#6b5d3f}"
)


def draw_table(scene: Scene) -> list[str]:
    """Return the parts of the table, as many for every position."""
    is_over = scene.state.phase == END
    found = [box(8, 0, _WIDTH, HEIGHT), *(_scoring(scene) if is_over else _holdings(scene))]
    return found + [""] * (_MOST_PARTS - len(found))


def _holdings(scene: Scene) -> list[str]:
    """Return the heading, and what each colour owns."""
    heading = (
        text(_FIRST_COLUMN + _COLUMN * place, 23, scene.names[word], "c b s q") for place, word in enumerate(_COLUMNS)
    )
    return ["".join(heading), *(_row(scene, colour) for colour in range(colour_count(scene.state)))]


def _row(scene: Scene, colour: int) -> str:
    """Return who plays a colour, and what it owns."""
    height = (HEIGHT - _HEADING - 4) / colour_count(scene.state)
    middle = height / 2
    decides = colour == scene.state.decider
    frame = box(11, 1, _WIDTH - 6, height - 2, "turn") if decides else ""
    name = clipped(scene.player(colour), int(232 / _NAME_LETTER))
    shown = token(scene, colour, 40, middle) + text(70, middle + 7, name, "h" if decides else "h f")
    amounts = "".join(_amount(scene, word, colour, place, middle) for place, word in enumerate(_COLUMNS))
    return group(0, _HEADING + height * colour, frame + shown + amounts)


def _amount(scene: Scene, word: str, colour: int, place: int, middle: float) -> str:
    """Return an amount, with its change by the last move beside it."""
    now, then = (_holding(state, word) for state in (scene.state, scene.before))
    if colour >= len(now):
        return ""
    x = _FIRST_COLUMN + _COLUMN * place
    shown = text(x, middle + 8, now[colour], "c v b" if word == "score" else "c v")
    change = now[colour] - then[colour]
    return shown + (_change(x + 36, middle, change) if change else "")


def _change(x: float, middle: float, change: int) -> str:
    content = f"+{change}" if change > 0 else f"{_MINUS}{-change}"
    width = 14 + 10 * len(content)
    pill = f'<rect class="up" x="{x - width / 2:g}" y="{middle - 12:g}" width="{width}" height="24" rx="12"/>'
    return pill + text(x, middle + 6, content, "c b s")


def _holding(state: object, word: str) -> Sequence[int]:
    name = {"score": "scores"}.get(word, word)
    amounts: Sequence[int] = getattr(state, name)
    return amounts


def _scoring(scene: Scene) -> list[str]:
    """Return whose points the columns hold, the steps of the final scoring, their sum, and what is to be said of it."""
    steps = scoring_steps(scene.state, scene.language)
    rows = [(step.label, step.points) for step in steps[:_COMMON_STEPS]]
    if scene.state.seats == 2:
        virtual = zip(*(step.points for step in steps[_COMMON_STEPS:]), strict=True)
        rows.append((scene.names["final_provinces"], tuple(map(sum, virtual))))
    note = steps[-1].note
    height = (HEIGHT - _HEADING - 4) / (len(rows) + 1 + bool(note))
    tops = [_HEADING + height * place for place in range(len(rows) + 2)]
    found = ["".join(_player(scene, colour) for colour in range(colour_count(scene.state)))]
    for place, (label, points) in enumerate(rows):
        found.append(_step(scene, place, label, points, tops[place], tops[place] + height / 2 + 6))
    found.append(_sum(scene, steps[-1].sums, tops[len(rows)], tops[len(rows)] + height / 2 + 6))
    return [*found, text(24, tops[-1] + height / 2 + 6, note, "s")] if note else found


_SCORED_FROM: Final = 258
_COMMON_STEPS: Final = 6
"""Those of all colours; two of the virtual player alone follow them."""
_COUNTED: Final = {1: "loans", 2: "control", 3: "medals", 4: "congress", 5: "francs"}
"""What those steps compare, by their place."""


def _width(scene: Scene) -> float:
    return (_WIDTH - _SCORED_FROM - 6) / colour_count(scene.state)


def _player(scene: Scene, colour: int) -> str:
    """Return whose points a column holds."""
    x = _SCORED_FROM + _width(scene) * colour
    name = clipped(scene.player(colour), int((_width(scene) - 46) / 9.2))
    return token(scene, colour, x + 18, 19, scale=0.7) + text(x + 37, 25, name, "s b")


def _owned(scene: Scene, place: int) -> Sequence[int]:
    """Return what a step of the scoring counts or compares, per colour; nothing where that goes without saying."""
    word = _COUNTED.get(place, "")
    if word == "control":
        return control(scene.state).weight
    return _holding(scene.state, word)[: scene.state.seats] if word else ()


def _step(scene: Scene, place: int, label: str, points: Sequence[int], top: float, base: float) -> str:
    """Return a step: its name, and for each colour what it owns and the points for it."""
    owned = _owned(scene, place)
    shown = text(24, base, label, "l")
    for colour, amount in enumerate(points):
        x = _SCORED_FROM + _width(scene) * colour
        if colour < len(owned):
            shown += text(x + 30, base, owned[colour], "r l q")
        if place == 0 or amount:
            shown += text(x + 80, base, _signed(amount, plain=place == 0), "r b")
    return _rule(top) + shown


def _rule(y: float) -> str:
    return f'<path class="fifth" d="M20 {y:g}H{_WIDTH - 4}"/>'


def _sum(scene: Scene, sums: Sequence[int], top: float, base: float) -> str:
    """Return the result, with the rank of each seat; a crown if the virtual player is above both."""
    result = outcome(scene.state)
    shown = text(24, base, scene.names["final_sum"], "s b")
    for colour, amount in enumerate(sums):
        x = _SCORED_FROM + _width(scene) * colour
        shown += text(x + 80, base, _signed(amount, plain=True), "r b")
        if colour < scene.state.seats:
            shown += _rank(x + 104, base, result.ranks[colour])
        elif result.details["virtual_won"]:
            shown += f'<use href="#fk-c" class="crown" transform="translate({x + 106:g} {base - 5:g}) scale(.55)"/>'
    return _rule(top) + shown


def _rank(x: float, base: float, rank: int) -> str:
    pill = f'<circle class="{"flag" if rank == 1 else "box"}" cx="{x:g}" cy="{base - 6:g}" r="10"/>'
    return pill + text(x, base, rank, "c s b")


def _signed(amount: int, *, plain: bool) -> str:
    if amount < 0:
        return f"{_MINUS}{-amount}"
    return str(amount) if plain else f"+{amount}" if amount else "·"
