"""The panels of the picture: cards, titles and elections, a card for each player, the final scoring, the legend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.abilities import Move, View
from engine.games.rex_romanorum.board import DIOCESE_COUNT, DIOCESES, REGIONS, TITLES
from engine.games.rex_romanorum.scoring import figures_of, outcome, production, wealth
from engine.games.rex_romanorum.state import END, KEEP, NOBODY, RexState
from engine.games.rex_romanorum.view.map import ARMS, castle, church, shield
from engine.games.rex_romanorum.view.steps import scoring_steps
from engine.games.rex_romanorum.view.text import churches_of, letter_of
from engine.kit.drawing import box, clipped, group, part, text

CARD_HEIGHT: Final = 98
_LEFT: Final = 716
_COLUMNS: Final = ((728, 796), (808, 890), (902, 984))
"""Of the money: where the words begin and the numbers end."""
CROWN: Final = '<path class="crown" d="M-10 6L-12 -6L-5 0L0 -9L5 0L12 -6L10 6Z"/>'


def cards(state: RexState, view: View, names: Mapping[str, str]) -> str:
    """Return pile and discards, and the cards that were drawn; those just bought are filled."""
    drawn, kept = list(state.drawn), set[int]()
    if view.last is not None and view.last.before.phase == KEEP:
        drawn = list(view.last.before.drawn)
        kept = {region for region in drawn if state.owner[region] != NOBODY}
    piles = _stack(30, 62, len(state.pile), names["pile"]) + _stack(96, 62, len(state.discards), names["discards"])
    rows = (_card(region, 92 + 24 * place, region in kept, names) for place, region in enumerate(drawn))
    return box(12, 38, 154, 128) + piles + "".join(rows)


def _stack(x: float, y: float, number: int, name: str) -> str:
    back = '<rect class="back" x="-9" y="-13" width="18" height="26" rx="3"/>'
    behind = f'<g transform="translate(2.5 -2)">{back}</g>' if number > 1 else ""
    pile = behind + back if number else '<rect class="none" x="-9" y="-13" width="18" height="26" rx="3"/>'
    return (
        group(x, y + 2, pile) + text(x + 16, y - 2, number, "f") + text(x + 16, y + 13, name, "t", widest=44, letter=5)
    )


def _card(region: int, y: float, is_kept: bool, names: Mapping[str, str]) -> str:
    kind = "kept" if is_kept else "slot"
    frame = f'<rect class="{kind}" x="20" y="{y:g}" width="138" height="20" rx="4"/>'
    return frame + text(89, y + 14, names[REGIONS[region]], "c n", widest=128)


def titles(state: RexState, last: Move | None, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the box of the seven electors, and a row for each in the order of their votes."""
    yield box(788, 330, 204, 216) + text(800, 352, names["titles"], "b", widest=180)
    for place, title in enumerate(state.options.vote_order):
        y, holder = 378 + 25 * place, state.titles[title]
        is_new = last is not None and last.before.titles[title] != holder
        row = f'<rect class="new" x="794" y="{y - 12:g}" width="192" height="23" rx="4"/>' if is_new else ""
        row += text(828, y + 5, names[f"title_{TITLES[title]}"], "n", widest=158)
        yield row + (text(810, y + 5, "-", "c") if holder == NOBODY else shield(holder, 810, y))


def election(state: RexState, names: Mapping[str, str]) -> str:
    """Return the election that is held: who stands, with votes and offers."""
    held = state.election
    if held is None:
        return ""
    what = names["king"] if held.diocese < 0 else names[f"title_{DIOCESES[held.diocese]}"]
    parts = [box(788, 554, 204, 34 + 25 * len(held.candidates)), text(800, 576, what, "b", widest=184)]
    for place, seat in enumerate(held.candidates):
        y = 598 + 25 * place
        votes = f"{names['votes']} {held.votes[seat]}"
        votes += f" · {names['offer']} {held.offers[seat]}" if held.diocese < 0 else ""
        parts.append(shield(seat, 810, y) + text(828, y + 5, votes, "n", widest=158))
    return "".join(parts)


def final_scoring(state: RexState, view: View) -> str:
    """Return the final scoring in its steps, nothing before the end."""
    steps = scoring_steps(state, view.language)
    if not steps:
        return ""
    left, width = 992 - 92 - 29 * state.seats, 92 + 29 * state.seats
    parts = [box(left, 554, width, 142)]
    columns = [992 - 29 * (state.seats - seat) + 21 for seat in range(state.seats)]
    parts += [text(x, 572, letter_of(seat), "r f") for seat, x in enumerate(columns)]
    for place, step in enumerate(steps):
        y = 589 + 16 * place
        parts.append(text(left + 8, y, step.label, "s", widest=80, letter=5.4))
        parts += [text(x, y, points or "·", "r s") for x, points in zip(columns, step.points, strict=True)]
    y = 589 + 16 * len(steps) + 6
    parts.append(f'<path class="rule" d="M{left + 8} {y - 14}H984"/>')
    parts += [text(x, y, total, "r f") for x, total in zip(columns, steps[-1].sums, strict=True)]
    return "".join(parts)


def players(state: RexState, view: View, names: Mapping[str, str]) -> Iterator[str]:
    """Yield three parts for each seat: its card with who plays, its money, what it holds."""
    top = 1192 - CARD_HEIGHT * state.seats
    for seat in range(state.seats):
        y = top + CARD_HEIGHT * seat
        yield part(_nameplate(state, seat, y, view, names))
        yield part("".join(_money(state, seat, y + 58, names)))
        yield part("".join(_holdings(state, seat, y + 80, names)))


def _nameplate(state: RexState, seat: int, y: float, view: View, names: Mapping[str, str]) -> str:
    plate = box(_LEFT, y, 276, CARD_HEIGHT - 6, "turn" if seat == state.decider else "box") + shield(seat, 738, y + 20)
    house = text(758, y + 19, f"{letter_of(seat)} · {names[f'arms_{seat}']}", "b", widest=190)
    name = text(758, y + 35, clipped(view.name_of(seat), 36), "s g")
    crown = group(972, y + 20, CROWN, title=names["king"]) if state.king == seat else ""
    return plate + house + name + crown + _rank(state, seat, y, names)


def _rank(state: RexState, seat: int, y: float, names: Mapping[str, str]) -> str:
    """Return a medal with the rank of the seat, once the game is over."""
    if state.phase != END:
        return ""
    rank = outcome(state).ranks[seat]
    medal = f'<circle class="{"medal" if rank == 1 else "miss"}" r="11"/>{text(0, 4.5, rank, "c b")}'
    return group(942, y + 20, medal, title=f"{names['rank']} {rank}")


def _money(state: RexState, seat: int, y: float, names: Mapping[str, str]) -> Iterator[str]:
    amounts = {"gold": state.gold[seat], "production": production(state, seat), "wealth": wealth(state, seat)}
    for (left, right), (word, amount) in zip(_COLUMNS, amounts.items(), strict=True):
        yield text(left, y, names[word], "t", widest=54, letter=5.4) + text(right, y, amount, "r f")


def _holdings(state: RexState, seat: int, y: float, names: Mapping[str, str]) -> Iterator[str]:
    """Yield regions, castles, churches and figures, each with its sign."""
    yield text(728, y, names["regions"], "t", widest=44, letter=5.4)
    yield text(786, y, state.land[seat].bit_count(), "r f")
    yield castle(802, y - 4) + text(813, y, (state.castles & state.land[seat]).bit_count(), "f")
    x = 838.0
    for diocese, number in enumerate(churches_of(state, seat)):
        if number:
            yield group(x, y - 2, f'<g transform="scale(0.8)">{church(diocese, 0, 0)}</g>') + text(
                x + 8, y, number, "f"
            )
            x += 24
    army = " ".join(f"{number}{kind}" for number, kind in zip(figures_of(state, seat), "FAK", strict=True) if number)
    yield text(984, y, army or "-", "r f", widest=984 - x, letter=7)


def legend(names: Mapping[str, str]) -> str:
    """Return what the signs mean."""
    parts = [box(12, 1052, 150, 140)]
    parts += [church(diocese, 28 + 22 * diocese, 1071) for diocese in range(DIOCESE_COUNT)]
    parts.append(text(92, 1075, names["church"], "s"))
    parts.append(castle(28, 1092) + text(46, 1096, names["castle"], "s"))
    for place, kind in enumerate("FAK"):
        parts.append(text(24, 1113 + 15 * place, kind, "f") + text(46, 1113 + 15 * place, names[kind], "s"))
    parts.append(f'<rect x="20" y="1151" width="18" height="13" fill="{ARMS[NOBODY]}" stroke="#5c4d2e"/>')
    parts.append(text(46, 1161, names["unowned"], "s"))
    parts.append('<rect class="last" x="21" y="1171" width="16" height="11"/>')
    return "".join(parts) + text(46, 1181, names["last_move"], "s", widest=110)
