"""The answer that ended a tournament which asks a question."""

from __future__ import annotations

from typing import Any

from ratings.store.models import TournamentRecord
from ratings.store.sessions import Source, read
from ratings.store.waves import ANNULLED, count_annulled


def recorded_answer(source: Source, tournament: TournamentRecord) -> dict[str, Any] | None:
    """Return what a format knew when it planned no more; `None` if nothing is recorded.

    Where blocks were annulled since, it rests on matches that do not count any more, and is not returned.
    """
    answer = tournament.answer
    if answer is None:
        return None
    with read(source) as session:
        return answer if answer.get(ANNULLED, 0) == count_annulled(session, tournament.id) else None
