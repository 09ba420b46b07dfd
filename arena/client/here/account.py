"""Whoever is asking, and what he was told."""

# ruff: noqa: ARG002

from __future__ import annotations

from arena.client.errors import ClientError
from arena.client.here.place import Place
from arena.client.values.accounts import Identity
from arena.client.values.notices import Notice
from arena.client.values.page import DEFAULT_LIMIT, Page


class AccountHere:
    """Implements the interface `arena.client.port.Account`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def get_identity(self) -> Identity:
        viewer = self._place.viewer
        return Identity(viewer.scope, viewer.owner_name, viewer.token, viewer.expires_at_us)

    def list_notices(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Notice]:
        raise ClientError("this database keeps no notices yet")
