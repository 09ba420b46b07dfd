"""What a tournament would be that a viewer asks about; nothing is written."""

from __future__ import annotations

from arena.app.creating import expanded, form_of, need_rights, seed_key, terms_of
from arena.app.creating import name_chooser as check_name_is_free
from arena.app.lookup import find_version, whole_name
from arena.app.place import Place
from arena.app.rights import need_remote_service
from arena.model.forecasts import Forecast
from arena.model.planning import TournamentRequest
from arena.model.pools import Pool
from arena.tournament import creation
from arena.tournament.draft import Draft
from arena.tournament.forecast import longest_match_us
from ratings.ledger.tournaments import check_plan
from ratings.read.durations import has_played, mean_duration

_SHOWN_DIGITS = 12


class ForecastsHere:
    """Implements the interface `arena.model.port.Forecasts`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def forecast_tournament(self, request: TournamentRequest) -> Forecast:
        place = self._place
        request, left_out = expanded(place, request)
        need_rights(place, request)
        terms, form = terms_of(request, seed_key(place)), form_of(request)
        for bot in request.bots:
            need_remote_service(place, find_version(place, bot).bot)
        check_name_is_free(place, request.name, request.kind or request.format)
        bots = [whole_name(place.database, place.viewer, bot) for bot in request.bots]
        if form is None:
            draft = creation.draft_match(place.database, place.programs, terms, bots=bots)
        else:
            draft = creation.draft_tournament(place.database, place.programs, terms, form, bots=bots)
        check_plan(place.database, draft.plan)
        matches, is_most = draft.count_matches()
        pool_id = draft.plan.pool.pool_id()
        played, duration_us = mean_duration(place.database, pool_id, {one.version.id for one in draft.entrants})
        usual_us = longest_match_us(draft.draw.game, terms.seats, terms.clock)
        return Forecast(
            format=request.format,
            pool=_pool(draft),
            is_new_pool=not has_played(place.database, pool_id),
            bots=tuple(f"{one.bot.name}@{one.version.content_hash[:_SHOWN_DIGITS]}" for one in draft.entrants),
            left_out=left_out,
            matches=matches,
            is_most=is_most,
            match_us=duration_us if played else usual_us,
            measured=played,
        )


def _pool(draft: Draft) -> Pool:
    key = draft.plan.pool
    return Pool(
        pool_id=key.pool_id(),
        game=key.game,
        rules_version=key.rules_version,
        seats=key.seats,
        options=key.options,
        time_control=key.time_control,
        cores=key.cores,
        remote=key.remote,
    )
