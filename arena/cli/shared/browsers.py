"""Where `arena web` shows a database unless it is told otherwise."""

from __future__ import annotations

from typing import Final

USUAL_ADDRESS: Final = "127.0.0.1:7780"
