"""What the organiser takes out of the count, and why."""

from __future__ import annotations

from arena.app.lookup import find_version
from arena.app.policy import AppContext, need_organiser
from engine.translatable import Text
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read import matches
from ratings.read.matches import find_match
from ratings.values.owners import OPERATOR
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.tournament_incidents import Annulled, Annulment


class LocalAnnulments:
    """Implements the interface `arena.model.port.Annulments`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._ledger = ServiceLedger(context.database)

    def annul_match(self, match: str, why: str) -> Annulled:
        self._need_right()
        found = find_match(self._context.database, match)
        return self._ledger.annul_match(found.id, why=why, actor=OPERATOR)

    def annul_version(self, version: str, why: str) -> Annulled:
        self._need_right()
        found = find_version(self._context, version)
        return self._ledger.annul_version(found.version.id, why=why, actor=OPERATOR)

    def list_annulments(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Annulment]:
        return matches.list_annulments(self._context.database, limit=limit, after=after)

    def _need_right(self) -> None:
        need_organiser(self._context.viewer, Text("annul results"))
