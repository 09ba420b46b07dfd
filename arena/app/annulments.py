"""What the organiser takes out of the count, and why."""

from __future__ import annotations

from arena.app.lookup import find_version
from arena.app.policy import AppContext, need_organiser
from arena.model.annulments import Annulled, Annulment
from arena.model.page import DEFAULT_LIMIT, Page
from engine.text import Text
from ratings.ledger import annulments as ledger
from ratings.ledger.service import ServiceLedger
from ratings.read import annulments
from ratings.read.matches import find_match
from ratings.store import annulment as stored
from ratings.store.names import OPERATOR


class LocalAnnulments:
    """Implements the interface `arena.model.port.Annulments`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._ledger = ServiceLedger(context.database)

    def annul_match(self, match: str, why: str) -> Annulled:
        self._need_right()
        found = find_match(self._context.database, match)
        return _annulled(self._ledger.annul_match(found.id, why=why, actor=OPERATOR))

    def annul_version(self, version: str, why: str) -> Annulled:
        self._need_right()
        found = find_version(self._context, version)
        return _annulled(self._ledger.annul_version(found.version.id, why=why, actor=OPERATOR))

    def list_annulments(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Annulment]:
        page = annulments.list_annulments(self._context.database, limit=limit, after=after)
        return Page(tuple(map(annulment_value, page.items)), page.next)

    def _need_right(self) -> None:
        need_organiser(self._context.viewer, Text("app.annul_results", "annul results"))


def annulment_value(annulment: stored.Annulment) -> Annulment:
    """Return an annulment as the value that crosses the interface."""
    return Annulment(
        id=annulment.id,
        match=annulment.match_id,
        version=annulment.version_id,
        why=annulment.why,
        actor=annulment.actor,
        at_us=annulment.at_us,
    )


def _annulled(done: ledger.Annulled) -> Annulled:
    return Annulled(annulment_value(done.annulment), done.matches, done.pools)
