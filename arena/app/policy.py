"""Who asks, what he may do, and what he may see: the rules that every use case asks. No SQL of its own.

Nothing that chance gave in a match is shown while another match with the same chance is not over. The matches of a
block share one chance seed, and so do both blocks of a pair of a comparison: whoever saw the dice of one of them would
know those of the others, which his bot may still have to play. A match that goes on may be watched when all the others
are over; what no seat may know of it, such as the order of a pile, stays hidden to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from arena.model.errors import ForbiddenError, HiddenError, RefusedError
from engine.errors import EngineError
from engine.translatable import Text
from ratings.read.bots import VersionRow, is_owner_disabled
from ratings.store.database import Database
from ratings.store.models import BotRecord, MatchRecord
from ratings.values.owners import OPERATOR, ChallengeLimits
from ratings.values.pools import RatingMethod
from ratings.values.states import MatchState, Scope

if TYPE_CHECKING:
    from arena.hosting.sandbox.stored_programs import StoredPrograms
    from arena.hosting.uploads.resumable_uploads import UploadArea
    from arena.model.accounts import OwnerUsage

WHY_HIDDEN = Text(
    "shown when every other match of its block is over: they share their chance, and who saw it now would know the rest"
)
WHY_UNTOLD = Text(
    "told move by move when it is over: its events hold what no seat may know yet; the pages show it meanwhile"
)


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whoever asks an arena. By default it is the organiser: who can open the database may see everything."""

    scope: Scope = Scope.ORGANISER
    owner_id: str | None = None
    owner_name: str | None = None
    token: str | None = None
    """The name of the token that was shown."""
    expires_at_us: int | None = None

    @property
    def is_organiser(self) -> bool:
        """Return whether everything may be seen and done."""
        return self.scope is Scope.ORGANISER

    def owns(self, owner_id: str | None) -> bool:
        """Return whether the viewer may see what is only for the owner of a bot."""
        return self.is_organiser or (owner_id is not None and owner_id == self.owner_id)


def _unknown() -> None:
    """Return that nothing is known."""


def usual_method() -> RatingMethod:
    """Return what pools are rated by where nothing is set."""
    return RatingMethod.TRUESKILL


class UsageReader(Protocol):
    """Knows what owners have and may have."""

    def usage(self, owner: str) -> OwnerUsage:
        """Return it for the owner of that name. Raises NotFoundError."""


@dataclass(frozen=True, slots=True)
class AppContext:
    """A database with the store of its bots, as one viewer may see it; several threads may share it."""

    database: Database
    find_programs: Callable[[], StoredPrograms]
    """Returns the programs of the bots."""
    viewer: Viewer
    usage: UsageReader | None = None
    """That of the service; without one only what the database and the store tell is known."""
    uploads: UploadArea | None = None
    """Where archives arrive; `None` where nobody hands anything in."""
    matches_per_day: Callable[[], int | None] = _unknown
    """Returns the pace of ladders that have none of their own, or `None` if no service tells."""
    play_port: Callable[[], int] = int
    """Returns the port where remote bots connect, 0 if there is none."""
    is_connected: Callable[[str], bool] | None = None
    """Returns whether the remote version with that hash is connected; `None` where nothing plays with remote bots."""
    challenges: ChallengeLimits = field(default_factory=ChallengeLimits)
    rating_method: Callable[[], RatingMethod] = usual_method
    """Returns what a pool is rated by if nobody says so."""

    @property
    def programs(self) -> StoredPrograms:
        """The programs of the bots."""
        return self.find_programs()


def need_organiser(viewer: Viewer, deed: str) -> None:
    """Raise ForbiddenError, which names the deed, unless the viewer is an organiser."""
    if not viewer.is_organiser:
        raise ForbiddenError(Text("only an organiser may {what}; ask the one who runs this service", what=deed))


def need_competitor(viewer: Viewer, deed: str) -> None:
    """Raise ForbiddenError unless the viewer is an organiser or an owner who competes."""
    if viewer.scope not in (Scope.ORGANISER, Scope.COMPETITOR):
        raise ForbiddenError(
            Text(
                "a token of scope {scope} may not {what}; use one of scope {needed}",
                scope=viewer.scope.value,
                what=deed,
                needed=Scope.COMPETITOR.value,
            )
        )


def need_own_bot(viewer: Viewer, bot: BotRecord, deed: str) -> None:
    """Raise ForbiddenError unless the bot is the viewer's, or the viewer is an organiser."""
    need_competitor(viewer, deed)
    if not viewer.owns(bot.owner_id):
        raise ForbiddenError(
            Text(
                "{name} is not yours, so you may not {what}; your own are {owner}/...",
                name=bot.name,
                what=deed,
                owner=viewer.owner_name,
            )
        )


def need_remote_service(context: AppContext, bot: BotRecord) -> None:
    """Raise RefusedError if the bot is remote, and nothing here plays with remote bots."""
    if bot.remote and context.is_connected is None:
        raise RefusedError(
            Text(
                "{name} is remote, and only a service that sets service.play_address plays with it; ask such a "
                "service: arena --server NAME",
                name=bot.name,
            )
        )


def need_granted_cores(context: AppContext, cores: int | None, bots: Iterable[BotRecord]) -> None:
    """Raise RefusedError if a service is to grant hosted bots more cores than the one that it grants.

    Those of remote bots are their authors' own.
    """
    is_service = context.usage is not None
    if is_service and (cores or 1) > 1 and not any(bot.remote for bot in bots):
        raise RefusedError(
            Text("a service grants each bot one core; leave out --cores, or play on a database of your own")
        )


def actor_of(viewer: Viewer) -> str:
    """Return whom the history of a bot names for what the viewer does."""
    return viewer.owner_name or OPERATOR


def is_hidden(viewer: Viewer, *, has_secrets: bool, is_open: bool) -> bool:
    """Return whether the play of a match is withheld from a viewer.

    `has_secrets` tells whether its game throws chance or hides information, `is_open` whether another match that shares
    its chance is not over.
    """
    return has_secrets and is_open and not viewer.is_organiser


def shows_note(*, is_own: bool, is_over: bool) -> bool:
    """Return whether a viewer is shown what a bot noted: of his own bot at once, of others when the match is over."""
    return is_own or is_over


def has_secrets(game: str) -> bool:
    """Return whether a game throws chance or hides information; of a game that is not installed, that it does."""
    from engine import registry  # who looks at bots does not pay for the games, nor for blocks

    try:
        found = registry.get(game)
    except EngineError:
        return True
    return found.has_chance or found.has_hidden_information


def hides_parts(game: str) -> bool:
    """Return whether some seat may not see some part of a position; of a game that is not installed, that it does."""
    from engine import registry

    try:
        return registry.get(game).has_hidden_information
    except EngineError:
        return True


def hidden_matches(context: AppContext, matches: Collection[str]) -> set[str]:
    """Return which of these matches, named by id, are withheld from the viewer."""
    if not is_hidden(context.viewer, has_secrets=True, is_open=True):
        return set()
    from ratings.read.embargo import awaited_matches

    found = awaited_matches(context.database, matches)
    return {
        match for match, game in found.items() if is_hidden(context.viewer, has_secrets=has_secrets(game), is_open=True)
    }


def need_shown(context: AppContext, match: MatchRecord) -> None:
    """Raise HiddenError while a match is withheld from the viewer."""
    if hidden_matches(context, [match.id]):
        raise HiddenError(Text("match {match} is {why}", match=match.id, why=WHY_HIDDEN))


def need_events(context: AppContext, match: MatchRecord, game: str) -> None:
    """Raise HiddenError while the viewer may not have the events of a match, which hold all that happens in it."""
    is_over = match.state is MatchState.FINISHED
    if not is_over and not context.viewer.is_organiser and hides_parts(game):
        raise HiddenError(Text("match {match} is {why}", match=match.id, why=WHY_UNTOLD))


def check_ready(context: AppContext, one: VersionRow) -> None:
    """Raise RefusedError for a bot that is barred, or remote and not connected."""
    name = one.bot.name
    if one.bot.disabled_at_us is not None:
        raise RefusedError(
            Text(
                "{name} is disabled; its owner lets it in again: arena bot disable {name_2} --undo",
                name=name,
                name_2=name,
            )
        )
    if is_owner_disabled(context.database, one.bot):
        raise RefusedError(Text("the owner of {name} is disabled; challenge another bot", name=name))
    need_remote_service(context, one.bot)
    if one.bot.remote and context.is_connected is not None and not context.is_connected(one.version.content_hash):
        raise RefusedError(
            Text(
                "{name} is remote, and version {version} of it is not connected now; its author connects it: "
                "arena bot connect DIRECTORY --server NAME",
                name=name,
                version=one.version.manifest.get("version", one.version.number),
            )
        )
