"""What a viewer may do; what he may see is decided in `visibility`."""

from __future__ import annotations

from collections.abc import Iterable

from arena.app.place import Place
from arena.app.viewer import Viewer
from arena.model.errors import ForbiddenError, RefusedError
from ratings.store.models import Bot
from ratings.store.names import OPERATOR
from ratings.store.states import Scope


def need_organiser(viewer: Viewer, deed: str) -> None:
    """Raise ForbiddenError, which names the deed, unless the viewer is an organiser."""
    if not viewer.is_organiser:
        raise ForbiddenError(f"only an organiser may {deed}; ask the one who runs this service")


def need_competitor(viewer: Viewer, deed: str) -> None:
    """Raise ForbiddenError unless the viewer is an organiser or an owner who competes."""
    if viewer.scope not in (Scope.ORGANISER, Scope.COMPETITOR):
        raise ForbiddenError(
            f"a token of scope {viewer.scope.value} may not {deed}; use one of scope {Scope.COMPETITOR.value}"
        )


def need_own_bot(viewer: Viewer, bot: Bot, deed: str) -> None:
    """Raise ForbiddenError unless the bot is the viewer's, or the viewer is an organiser."""
    need_competitor(viewer, deed)
    if not viewer.owns(bot.owner_id):
        raise ForbiddenError(f"{bot.name} is not yours, so you may not {deed}; your own are {viewer.owner_name}/...")


def need_remote_service(place: Place, bot: Bot) -> None:
    """Raise RefusedError if the bot is remote, and nothing here plays with remote bots."""
    if bot.remote and place.is_connected is None:
        raise RefusedError(
            f"{bot.name} is remote, and only a service that sets service.play_address plays with it; ask such a "
            "service: arena --server NAME"
        )


def need_granted_cores(place: Place, cores: int | None, bots: Iterable[Bot]) -> None:
    """Raise RefusedError if a service is to grant hosted bots more cores than the one that it grants.

    Those of remote bots are their authors' own.
    """
    is_service = place.usage is not None
    if is_service and (cores or 1) > 1 and not any(bot.remote for bot in bots):
        raise RefusedError("a service grants each bot one core; leave out --cores, or play on a database of your own")


def actor_of(viewer: Viewer) -> str:
    """Return whom the history of a bot names for what the viewer does."""
    return viewer.owner_name or OPERATOR
