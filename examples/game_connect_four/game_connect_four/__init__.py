"""Connect Four for two seats: seven columns of six squares, and whoever first has four discs in a line wins.

Actions are `DROP_1` to `DROP_7`. A position in JSON: game, version, seats, options, and `dropped`, the columns chosen
so far, from 0: everything else follows from them. The details of an outcome are `end` ("line" or "full") and `discs`,
how many were dropped. The only option is `line`: how many discs in a line win.
"""

from __future__ import annotations

from typing import Final

from engine.kit.game_folder import FolderGame
from game_connect_four.board import ACTIONS, SQUARES
from game_connect_four.options import OPTIONS
from game_connect_four.state import ConnectFourState


class ConnectFour(FolderGame[ConnectFourState]):
    """The game as the registry hands it out; its other parts are found in the folder by their names."""

    name = "connect_four"
    title = "Connect Four"
    rules_version = "1"
    seats = range(2, 3)
    actions = ACTIONS
    options = OPTIONS
    max_plies = SQUARES


GAME: Final = ConnectFour(__name__)
