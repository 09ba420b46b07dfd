"""Whoever is asking, and what he was told."""

from __future__ import annotations

from arena.app import own_tokens
from arena.app.place import Place
from arena.app.rights import need_organiser
from arena.app.usage import StoredUsage
from arena.model.accounts import Identity, NewToken, OwnerUsage, TokenSummary
from arena.model.errors import UnknownError
from arena.model.notices import Notice
from arena.model.page import DEFAULT_LIMIT, Page
from ratings.read.notices import list_notices
from ratings.store.states import Scope


class AccountHere:
    """Implements the interface `arena.model.port.Account`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def get_identity(self) -> Identity:
        viewer, port = self._place.viewer, self._place.play_port()
        return Identity(viewer.scope, viewer.owner_name, viewer.token, viewer.expires_at_us, play_port=port)

    def get_usage(self, owner: str | None = None) -> OwnerUsage:
        place, viewer = self._place, self._place.viewer
        if owner not in (None, viewer.owner_name):
            need_organiser(viewer, "see what another owner has")
        if owner is None and (owner := viewer.owner_name) is None:
            raise UnknownError("only an owner has limits, and whoever asks is none; name one: arena owner show NAME")
        return (place.usage or StoredUsage(place.database, place.programs.store)).usage(owner)

    def list_notices(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Notice]:
        viewer = self._place.viewer
        page = list_notices(
            self._place.database, owner_id=viewer.owner_id, everybodys=viewer.is_organiser, limit=limit, after=after
        )
        return Page(
            tuple(Notice(row.id, row.at_us, row.subject, row.sentence, row.owner_id is None) for row in page.items),
            page.next,
        )

    def list_own_tokens(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[TokenSummary]:
        return own_tokens.list_own(self._place, limit, after)

    def new_own_token(self, name: str, scope: Scope = Scope.COMPETITOR, expires_at_us: int | None = None) -> NewToken:
        return own_tokens.new_own(self._place, name, scope, expires_at_us)

    def revoke_own_token(self, token: str) -> TokenSummary:
        return own_tokens.revoke_own(self._place, token)
