"""The tournaments of a database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from arena.app.lookup import find_tournament, find_version, whole_name
from arena.app.place import Place
from arena.app.rights import need_own_bot, need_remote_service
from arena.app.tournament_values import STANDINGS, detail_of, list_leak_checks, standings_of, summary_of
from arena.model.errors import RefusedError
from arena.model.page import DEFAULT_LIMIT, Page
from arena.model.tournaments import LeakFinding, StandingRow, TournamentDetail, TournamentSummary
from ratings.read import tournaments
from ratings.read.paging import part_of
from ratings.store.models import Tournament

if TYPE_CHECKING:
    from arena.model.answers import ConfidencePoint
    from arena.model.operations import Operation
    from arena.model.pairings import Pairing
    from arena.model.planning import (
        Cancelled,
        ChallengeRequest,
        Joined,
        PlannedTournament,
        TournamentRequest,
        Withdrawn,
    )


class TournamentsHere:
    """Implements the interface `arena.model.port.Tournaments`.

    What plans and writes is imported by the methods that do: who looks at tournaments does not pay for it.
    """

    def __init__(self, place: Place) -> None:
        self._place = place

    def list_tournaments(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[TournamentSummary]:
        page = tournaments.list_tournaments(self._place.database, limit=limit, after=after)
        return Page(tuple(summary_of(self._place, row) for row in page.items), page.next)

    def get_tournament(self, tournament: str) -> TournamentDetail:
        return detail_of(self._place, find_tournament(self._place, tournament).id)

    def list_standings(
        self, tournament: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[StandingRow]:
        rows = standings_of(self._place, find_tournament(self._place, tournament).id)
        page = part_of(rows, STANDINGS, limit, after)
        return Page(page.items, page.next)

    def list_leak_checks(
        self, tournament: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[LeakFinding]:
        return list_leak_checks(self._place, find_tournament(self._place, tournament).id, limit, after)

    def list_pairings(
        self, tournament: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Pairing]:
        from arena.app import rounds

        return rounds.list_pairings(self._place, find_tournament(self._place, tournament).id, limit, after)

    def list_confidence(self, tournament: str) -> tuple[ConfidencePoint, ...]:
        from arena.app import rounds

        return rounds.list_confidence(self._place, find_tournament(self._place, tournament).id)

    def create_tournament(self, request: TournamentRequest) -> PlannedTournament:
        from arena.app.creating import create

        return create(self._place, request)

    def challenge_bot(self, request: ChallengeRequest) -> PlannedTournament:
        from arena.app.challenges import challenge

        return challenge(self._place, request)

    def cancel_tournament(self, tournament: str) -> Cancelled:
        from arena.app.running import need_canceller
        from arena.model.planning import Cancelled
        from ratings.ledger.ledger import Ledger

        found = find_tournament(self._place, tournament)
        need_canceller(self._place, found)
        return Cancelled(found.name, Ledger(self._place.database).cancel(found.id))

    def join_tournament(self, tournament: str, bot: str) -> Joined:
        from arena.app.running import need_entry
        from arena.model.planning import Joined
        from arena.tournament import entering

        database, text = self._place.database, self._own(bot, "enter it")
        found = find_tournament(self._place, tournament)
        need_entry(self._place, found)
        need_remote_service(self._place, find_version(self._place, text).bot)
        self._need_admitted(found, text)
        version, wave = entering.join(database, self._place.programs, found, text)
        return Joined(found.name, text.partition("@")[0], version.number, wave)

    def withdraw_bot(self, tournament: str, bot: str) -> Withdrawn:
        from arena.model.planning import Withdrawn
        from arena.tournament import entering

        found = find_tournament(self._place, tournament)
        text = self._own(bot, "withdraw it") if not self._place.viewer.is_organiser else bot
        version, void = entering.withdraw(self._place.database, found, text)
        return Withdrawn(found.name, text.partition("@")[0], version.number, void)

    def get_progress(self, tournament: str) -> Operation:
        from arena.app.running import progress_of

        return progress_of(self._place, find_tournament(self._place, tournament).id)

    def watch_tournament(self, tournament: str) -> Iterator[Operation]:
        from arena.app.running import watch

        return watch(self._place, find_tournament(self._place, tournament).id)

    def _need_admitted(self, tournament: Tournament, text: str) -> None:
        """Raise RefusedError if an owner enters a version for ratings that was not admitted."""
        from ratings.read.admissions import unadmitted

        version = find_version(self._place, text).version
        is_checked = tournament.rated and not self._place.viewer.is_organiser
        if is_checked and unadmitted(self._place.database, [version.id]):
            raise RefusedError(f"{text} is not admitted, so it plays no rated matches; `arena bot log` tells more")

    def _own(self, bot: str, deed: str) -> str:
        """Return the whole name of a bot that the viewer may enter and withdraw. Raises ForbiddenError."""
        need_own_bot(self._place.viewer, find_version(self._place, bot).bot, deed)
        return whole_name(self._place.database, self._place.viewer, bot)
