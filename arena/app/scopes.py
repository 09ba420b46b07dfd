"""Which matches a viewer may have counted."""

from __future__ import annotations

from arena.app.lookup import find_scope
from arena.app.place import Place
from arena.app.visibility import has_secrets, is_hidden
from arena.model.errors import HiddenError
from ratings.read.scope import Scope
from ratings.read.tournaments import tournament_row


def shown_scope(place: Place, tournament: str | None, pool: str | None) -> Scope:
    """Return the scope that is named, of which whole blocks count.

    Raises HiddenError for a tournament that goes on and whose blocks share their chance with one another, for there a
    whole block tells what is still to be played; and the errors of `find_scope`.
    """
    scope = find_scope(place, tournament, pool)
    if scope.tournament_id is None or place.viewer.is_organiser:
        return scope
    from arena.tournament.stored import blocks_per_seed  # all formats, which the organiser is not asked for

    row = tournament_row(place.database, scope.tournament_id)
    shares = blocks_per_seed(row.tournament, row.pool) > 1
    is_open = shares and not row.progress.is_over
    if is_hidden(place.viewer, has_secrets=has_secrets(row.pool.game), is_open=is_open):
        raise HiddenError(f"{row.tournament.name} is counted when it is over: its blocks share their chance")
    return scope
