"""Takes away, or renames, bots that nothing names yet; files that nobody else uses go with them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from arena.app.lookup import find_version
from arena.app.place import Place
from arena.app.rights import need_own_bot
from arena.model.bots import RemovedBot
from ratings.ledger.ledger import Ledger
from ratings.read.held import is_held


def remove(place: Place, text: str) -> RemovedBot:
    """Take a bot away, or the one version that `name@hash` means.

    Raises ForbiddenError for a bot of somebody else, BotError if a fact names it; then everything is as it was.
    """
    found = find_version(place, text)
    need_own_bot(place.viewer, found.bot, "remove it")
    ledger, name = Ledger(place.database), found.bot.name
    is_whole = "@" not in text
    hashes = ledger.remove_bot(name) if is_whole else ledger.remove_version(found.version.id)
    if not found.bot.remote:
        _discard_files(place, hashes)
    return RemovedBot(name, len(hashes), is_whole)


def rename(place: Place, name: str, new_name: str) -> str:
    """Give a bot another name, which goes without that of its owner, and return the whole of it."""
    bot = find_version(place, name).bot
    need_own_bot(place.viewer, bot, "rename it")
    return Ledger(place.database).rename_bot(bot.name, new_name).name


def _discard_files(place: Place, hashes: Sequence[str]) -> None:
    """Remove the files of these versions, and what was built of them, unless another bot has the same."""
    for content_hash in hashes:
        if place.programs.store.discard(content_hash, partial(is_held, place.database)):
            place.programs.builds.remove(content_hash)
