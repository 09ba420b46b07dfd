"""What build commands said: an owner sees it of his own bots, nobody else's."""

from __future__ import annotations

from arena.app.lookup import find_version
from arena.app.place import Place
from arena.app.rights import need_own_bot
from arena.model.bots import BuildLog
from arena.model.errors import UnknownError


def build_log(place: Place, text: str) -> BuildLog:
    """Return what the build command of a version said when it was last run, in whichever runtime.

    Raises ForbiddenError for another owner's bot, UnknownError if it was never built, and what `find_version` raises.
    """
    found = find_version(place, text)
    need_own_bot(place.viewer, found.bot, "read what its build command said")
    version = found.version
    if found.bot.remote:
        raise UnknownError(f"{found.bot.name} is remote, and is built by its author, if at all")
    kept = place.programs.builds.newest_log(version.content_hash)
    if kept is None:
        why = "it was not built yet" if version.manifest.get("build") else "its bot.toml names no build command"
        raise UnknownError(f"version {version.number} of {found.bot.name} has no build log: {why}")
    return BuildLog(
        bot=found.bot.name,
        version=version.number,
        content_hash=version.content_hash,
        runtime=kept.runtime,
        built_at_us=kept.written_at_us,
        text=kept.text,
    )
