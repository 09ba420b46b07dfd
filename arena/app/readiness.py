"""Whether a bot can play now, for matches that begin at once."""

from __future__ import annotations

from arena.app.place import Place
from arena.app.rights import need_remote_service
from arena.model.errors import RefusedError
from ratings.read.bots import NamedVersion, is_owner_disabled


def check_ready(place: Place, one: NamedVersion) -> None:
    """Raise RefusedError for a bot that is barred, or remote and not connected."""
    name = one.bot.name
    if one.bot.disabled_at_us is not None:
        raise RefusedError(f"{name} is disabled; its owner lets it in again: arena bot disable {name} --undo")
    if is_owner_disabled(place.database, one.bot):
        raise RefusedError(f"the owner of {name} is disabled; challenge another bot")
    need_remote_service(place, one.bot)
    if one.bot.remote and place.is_connected is not None and not place.is_connected(one.version.content_hash):
        raise RefusedError(
            f"{name} is remote, and version {one.version.manifest['version']} of it is not connected now; its author "
            "connects it: arena bot connect DIRECTORY --server NAME"
        )
