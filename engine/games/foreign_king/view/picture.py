"""The position as a picture of 800 by 1060: score track, map, panels and the table of holdings, in many small parts."""

from __future__ import annotations

from typing import Final

from engine.abilities import View
from engine.games.foreign_king.actions import ACTIONS, SPACE_COUNT
from engine.games.foreign_king.board import PROVINCE_COUNT, PROVINCES
from engine.games.foreign_king.state import ForeignKingState
from engine.games.foreign_king.view import geography, holdings, panels, pieces, track
from engine.games.foreign_king.view.labels import labels
from engine.games.foreign_king.view.scene import Scene
from engine.games.foreign_king.view.text import king_place, status
from engine.kit.drawing import part, text
from engine.picture import Picture

_STYLE: Final = (
    (
        "text{font-family:Arial,Helvetica,sans-serif;font-size:18px;fill:#222}.c{text-anchor:middle}.r{text-anchor:end}.b{font-weight:bold}"
        ".s{font-size:16px}.l{font-size:15px}.a{font-size:15.5px}.h{font-size:20px;font-weight:bold}.f{font-weight:normal}"
        ".title{font-family:serif;font-size:30px;font-weight:bold}.page{fill:#f9f1dc;stroke:#7a6a45;stroke-width:3}"
        ".o{paint-order:stroke;stroke:#fbf6e8;stroke-width:4px;stroke-linejoin:round}.frame{fill:none;stroke:#7a6a45;stroke-width:2.5}"
    )
    + pieces.STYLE
    + geography.STYLE
    + panels.STYLE
    + track.STYLE
    + holdings.STYLE
)
_WIDTH: Final = 800
_MOST_COLOURS: Final = 4
_TRACK_TOP: Final = 48
_MAP_TOP: Final = _TRACK_TOP + track.HEIGHT + 8
_TABLE_TOP: Final = _MAP_TOP + geography.HEIGHT + 8
_LEGEND_TOP: Final = _TABLE_TOP + holdings.HEIGHT + 2
_HEIGHT: Final = _LEGEND_TOP + 46


def draw(state: ForeignKingState, view: View) -> Picture:
    """Return the whole position as a picture; what the last move changed glows."""
    names = labels(view.language)
    before = view.last.before if view.last else state
    scene = Scene(state, before, view.language, names, view.names)
    title = (
        f"{names['title']} · {status(state, names, is_numbered=False)} · {names['king']}: {king_place(state, names)}"
    )
    return Picture(_WIDTH, _HEIGHT, title, _STYLE, pieces.DEFS + geography.DEFS, _parts(scene))


def _parts(scene: Scene) -> tuple[str, ...]:
    return (
        part(f'<rect class="page" width="{_WIDTH}" height="{_HEIGHT}"/>'),
        part(text(16, 35, scene.names["title"], "title")),
        part(panels.draw_order(scene)),
        *(part(drawing, down=_TRACK_TOP) for drawing in _track(scene)),
        *(part(drawing, place=place, down=_MAP_TOP) for drawing, place in _map(scene)),
        *(part(drawing, down=_TABLE_TOP) for drawing in holdings.draw_table(scene)),
        part(panels.draw_legend(scene), down=_LEGEND_TOP),
    )


def _track(scene: Scene) -> list[str]:
    return [track.draw_track(scene), *(track.draw_lane(scene, colour) for colour in range(_MOST_COLOURS))]


def _map(scene: Scene) -> list[tuple[str, str]]:
    """Return what is drawn on the map, one over the other, with the id of the place that it stands for."""
    spaces = [(panels.draw_space(scene, space), ACTIONS.names[space]) for space in range(SPACE_COUNT)]
    return [
        (geography.draw_surroundings(scene), ""),
        *((geography.draw_land(scene, index), "") for index in range(PROVINCE_COUNT)),
        (geography.draw_rivers(), ""),
        (f'<rect class="frame" x="8" width="{_WIDTH - 16}" height="{geography.HEIGHT}"/>', ""),
        (geography.draw_changed(scene), ""),
        *((geography.draw_content(scene, index), name) for index, name in enumerate(PROVINCES)),
        (geography.draw_portrait(scene), ""),
        *spaces,
        (panels.draw_congress(scene), ""),
        (panels.draw_supply(scene), ""),
        *((panels.draw_supplied(scene, kind), kind) for kind in "MT"),
    ]
