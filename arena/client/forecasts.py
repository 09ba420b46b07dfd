"""What can be asked about tournaments that are not written yet; `arena.client.port` says how names are understood."""

from __future__ import annotations

from typing import Protocol

from arena.client.values.forecasts import Forecast
from arena.client.values.planning import TournamentRequest


class Forecasts(Protocol):
    """What a tournament would be."""

    def forecast_tournament(self, request: TournamentRequest) -> Forecast:
        """Return what would be played if this was asked for, and how long it may take; write nothing.

        Raises what asking for it would raise.
        """
