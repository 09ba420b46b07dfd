"""The tables of the book of record.

Facts (all tables but `rating` and `rating_change`, and the tallies) are only ever added; a column whose value becomes
known later stays empty until one transaction fills it. Ratings and tallies are derived from the facts and may be
rebuilt at any time. Instants are UTC in integer microseconds, ids are UUIDv7 text, enumerations are text.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, BigInteger, Double, Index, LargeBinary, MetaData, Text, UniqueConstraint, false, text
from sqlalchemy import Enum as EnumType
from sqlalchemy.orm import declared_attr, registry
from sqlmodel import Field, SQLModel

from engine.translatable import parts_of
from ratings.values.pools import RatingMethod
from ratings.values.states import AttemptState, MatchState

if TYPE_CHECKING:
    from ratings.values.tournament_incidents import Annulment

_NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def text_of(kind: type[enum.StrEnum]) -> Any:
    """Return the column type that stores an enumeration as the text of its values."""
    return EnumType(kind, native_enum=False, length=16, values_callable=lambda k: [member.value for member in k])


def with_text(column: str, sentence: str | None) -> dict[str, Any]:
    """Return the values of the column of a sentence, and of the one beside it that says which text it is."""
    return {column: sentence, f"{column}_text": parts_of(sentence)}


class Table(SQLModel, registry=registry(metadata=MetaData(naming_convention=_NAMING))):
    """The root of all tables; their metadata is this package's own, apart from other users of SQLModel."""

    # Rows are not validated (SQLModel leaves that out for tables), so nothing is built for it before somebody asks.
    model_config = {"defer_build": True}

    @declared_attr.directive
    def __tablename__(cls) -> str:  # noqa: N805 - SQLAlchemy calls it on the class
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Record")).lower()


class OwnerRecord(Table, table=True):
    """A registered person or team."""

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    created_at_us: int = Field(sa_type=BigInteger)
    disabled_at_us: int | None = Field(default=None, sa_type=BigInteger)
    limits: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    """What differs from the limits that all owners have."""
    note_bytes: int | None = Field(default=None, sa_type=BigInteger)
    """The notes of their bots in the replays that are kept here; `MatchSeatRecord.note_bytes` added up."""


class BotRecord(Table, table=True):
    """A named program, with an owner unless it was added locally."""

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    """`owner/name`, or a plain name for a bot without owner."""
    owner_id: str | None = Field(default=None, foreign_key="owner.id")
    created_at_us: int = Field(sa_type=BigInteger)
    disabled_at_us: int | None = Field(default=None, sa_type=BigInteger)
    remote: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether its author runs it elsewhere: then its versions have no files. It is so from the start, for ever."""


class VersionRecord(Table, table=True):
    """One immutable upload of a bot, by content hash; `number` counts from 1 within the bot."""

    __table_args__ = (UniqueConstraint("bot_id", "content_hash"), UniqueConstraint("bot_id", "number"))

    id: str = Field(primary_key=True)
    bot_id: str = Field(foreign_key="bot.id")
    number: int
    content_hash: str
    manifest: dict[str, Any] = Field(sa_type=JSON)
    created_at_us: int = Field(sa_type=BigInteger)
    message: str = Field(default="", sa_column_kwargs={"server_default": text("''")})
    """What its author says has changed, like that of a commit."""
    predecessor: int | None = None
    """The number of the bot's version that it is meant to replace."""
    withdrawn_at_us: int | None = Field(default=None, sa_type=BigInteger)
    files_removed_at_us: int | None = Field(default=None, sa_type=BigInteger)
    """Since when its files are not here: nobody needed them, or it was imported; empty again once they are added."""


class PoolRecord(Table, table=True):
    """Matches that are rated together, and how; `id` is that of `ratings.ledger.rating.pool_of`."""

    id: str = Field(primary_key=True)
    game: str
    rules_version: str
    seats: int
    options: dict[str, Any] = Field(sa_type=JSON)
    time_control: str
    cores: int
    mu: float = Field(sa_type=Double)
    sigma: float = Field(sa_type=Double)
    beta: float = Field(sa_type=Double)
    tau: float = Field(sa_type=Double)
    draw_probability: float = Field(sa_type=Double)
    created_at_us: int = Field(sa_type=BigInteger)
    remote: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether bots play in it that their authors run elsewhere."""
    rating_method: RatingMethod = Field(
        default=RatingMethod.TRUESKILL,
        sa_type=text_of(RatingMethod),
        sa_column_kwargs={"server_default": RatingMethod.TRUESKILL.value},
    )


class TournamentRecord(Table, table=True):
    """A plan of matches in one pool."""

    id: str = Field(primary_key=True)
    name: str = Field(index=True)
    format: str
    pool_id: str = Field(foreign_key="pool.id", index=True)
    secret: str
    """What all seeds are derived from, in hexadecimal digits; published when the tournament ends."""
    seeded: bool
    """Whether the secret follows from a seed that somebody gave, so that the tournament can be repeated."""
    settings: dict[str, Any] = Field(sa_type=JSON)
    rated: bool
    rates_same_owner: bool = False
    created_at_us: int = Field(sa_type=BigInteger)
    cancelled_at_us: int | None = Field(default=None, sa_type=BigInteger)
    rated_through: int = 0
    """How many matches, in schedule order, live rating has passed."""
    more_waves: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether further waves will be planned once there are results."""
    answer: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    """What the format found when it planned no more, if that is why; later results do not change it."""


class EntrantRecord(Table, table=True):
    """A version that takes part in a tournament; `position` is its place in the order of entry.

    In a ladder, a version that withdrew may come back: it has a further row then, with the wave from which on it plays.
    """

    __table_args__ = (Index(None, "tournament_id", "version_id"),)

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    position: int = Field(primary_key=True)
    version_id: str = Field(foreign_key="version.id")
    joined_wave: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    """The first wave in which it is planned; above 0 for a late entrant."""
    withdrawn_wave: int | None = None
    """The first wave in which it is not planned any more; empty while it takes part."""


class WaveRecord(Table, table=True):
    """Blocks that were planned together in one transaction: `blocks` of them, from index `first_block` on."""

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    index: int = Field(primary_key=True)
    first_block: int
    blocks: int
    planned_at_us: int = Field(sa_type=BigInteger)
    memory: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    """What the format remembers of this wave and all before it, once they are over; follows from the facts."""


class BlockRecord(Table, table=True):
    """One opening and one chance seed, played in all rotations of one circular order of entrants."""

    __table_args__ = (UniqueConstraint("tournament_id", "index"),)

    id: str = Field(primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    index: int
    opening: list[int] = Field(sa_type=JSON)
    chance_seed: int = Field(sa_type=BigInteger)


class MatchRecord(Table, table=True):
    """One playing of a game, identified by tournament, block and rotation; `position` is its place in the schedule.

    The columns from `by_rules` on are the result: they are empty until the match is finished, and never change then.
    """

    __table_args__ = (
        UniqueConstraint("tournament_id", "block_id", "rotation"),
        UniqueConstraint("tournament_id", "position"),
        Index(None, "tournament_id", "state", "position"),
        Index(None, "state", "id"),
        Index(None, "pool_id", "id"),
    )

    id: str = Field(primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    block_id: str = Field(foreign_key="block.id")
    rotation: int
    position: int
    state: MatchState = Field(default=MatchState.PLANNED, sa_type=text_of(MatchState))
    attempt: int = 0
    """The number of the newest attempt, 0 before the first."""
    void_reason: str | None = None
    void_reason_text: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    """Which text the sentence is, and its parts, as `engine.translatable.parts_of` gives them; so are all `*_text`."""
    by_rules: bool | None = None
    rated: bool | None = None
    details: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    plies: int | None = None
    decisions: int | None = None
    started_at_us: int | None = Field(default=None, sa_type=BigInteger)
    duration_us: int | None = Field(default=None, sa_type=BigInteger)
    game_digest: str | None = None
    record_digest: str | None = None
    sandbox: str | None = None
    """The weakest sandbox level among its bots; empty for matches older than this column."""
    replay_removed_at_us: int | None = Field(default=None, sa_type=BigInteger)
    """When its replay was removed by age or size; the digests of what was played stay."""
    logs_removed_at_us: int | None = Field(default=None, sa_type=BigInteger)
    """When what its bots wrote was removed by age or size."""
    pool_id: str = Field(default="", sa_column_kwargs={"server_default": text("''")})
    """The pool of its tournament, said here too, so that a pool's matches are found in order."""


class AttemptRecord(Table, table=True):
    """One try at playing a match: which worker has it, until when, and how it ended."""

    # Of all attempts a few are lost by their host, and these are asked for without the others.
    # The migration says it for PostgreSQL too; here that would import its dialect into every command.
    __table_args__ = (
        Index(None, "cause", sqlite_where=text("cause IS NOT NULL")),
        Index(None, "tournament_id", sqlite_where=text("tournament_id IS NOT NULL")),
    )

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    number: int = Field(primary_key=True)
    worker: str
    state: AttemptState = Field(sa_type=text_of(AttemptState))
    leased_at_us: int = Field(sa_type=BigInteger)
    deadline_us: int = Field(sa_type=BigInteger)
    ended_at_us: int | None = Field(default=None, sa_type=BigInteger)
    reason: str | None = None
    """Why it ended without a result, or what is to be known of one that did, in one sentence for people."""
    reason_text: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    cause: str | None = None
    """The name of the cause if the host failed; `evidence` goes with it."""
    evidence: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    tournament_id: str | None = None
    """The tournament of its match if it has a cause, so that what the host lost of a tournament is found at once."""


class MatchSeatRecord(Table, table=True):
    """Which version sits in a seat of a match, and, once the match is finished, how it ended there."""

    __table_args__ = (Index(None, "version_id", "match_id"), {"sqlite_with_rowid": False})  # rows lie by their key

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    seat: int = Field(primary_key=True)
    version_id: str = Field(foreign_key="version.id")
    rank: int | None = None
    forfeit: int | None = None
    """1 for the seat that forfeited first, 2 for the next, and so on; empty if it did not forfeit."""
    resigned: bool | None = None
    runtime: str | None = None
    """The hash of the runtime that the bot ran in; empty for matches older than this column."""
    sandbox: str | None = None
    """The level of the bot's sandbox; empty for remote bots, and for matches older than this column."""
    note_bytes: int | None = None
    """The notes of the bot in the replay as it was recorded, in UTF-8; empty if there are none, or nobody counts."""
    notes_left_out: bool | None = None
    """Whether its notes are not in the replay because those of its owner had reached their limit."""


class FaultRecord(Table, table=True):
    """What the bot in a seat did wrong, with cause and evidence; `number` counts from 0 within the match."""

    __table_args__ = (
        Index(None, "cause", "match_id"),
        Index(None, "version_id", "match_id"),
        Index(None, "tournament_id", "version_id", "cause", "match_id"),
    )

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    number: int = Field(primary_key=True)
    seat: int
    cause: str
    ply: int
    explanation: str = Field(sa_type=Text)
    explanation_text: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    evidence: dict[str, Any] = Field(sa_type=JSON)
    tournament_id: str = Field(default="", sa_column_kwargs={"server_default": text("''")})
    """The tournament of the match, said here too, so that its faults are found; so is the next."""
    version_id: str = Field(default="", sa_column_kwargs={"server_default": text("''")})
    """The version in the seat."""


class LeakCheckRecord(Table, table=True):
    """Whether fresh processes of a seat's bot answered as its used process had."""

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    seat: int = Field(primary_key=True)
    verdict: str
    """`equal`, `leak`, `unstable` or `unknown`."""
    ply: int | None = None
    """The first decision that was answered differently."""
    sentence: str = Field(sa_type=Text)
    sentence_text: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    evidence: dict[str, Any] = Field(sa_type=JSON)


class ReplayRecord(Table, table=True):
    """The replay document of a finished match, as the referee wrote it."""

    match_id: str = Field(primary_key=True, foreign_key="match.id")
    data: bytes = Field(sa_type=LargeBinary)


class AnnulmentRecord(Table, table=True):
    """That a match, or everything a version played, does not count; a fact, the match itself stays as it was."""

    __table_args__ = (Index(None, "match_id"), Index(None, "version_id"))

    id: str = Field(primary_key=True)
    match_id: str | None = Field(default=None, foreign_key="match.id")
    version_id: str | None = Field(default=None, foreign_key="version.id")
    why: str = Field(sa_type=Text)
    actor: str
    at_us: int = Field(sa_type=BigInteger)


class AnnulledBlockRecord(Table, table=True):
    """A block that does not count because of an annulment: seats are only fair in whole blocks."""

    block_id: str = Field(primary_key=True, foreign_key="block.id")
    annulment_id: str = Field(foreign_key="annulment.id", index=True)


def annulment_value(stored: AnnulmentRecord) -> Annulment:
    """Return an annulment as the value that everybody is shown."""
    from ratings.values.tournament_incidents import (
        Annulment,  # every list of matches asks for annulments, and few have any
    )

    return Annulment(
        id=stored.id,
        match=stored.match_id,
        version=stored.version_id,
        why=stored.why,
        actor=stored.actor,
        at_us=stored.at_us,
    )


class ProofEntryRecord(Table, table=True):
    """One entry of the signed log of a tournament; `number` counts from 0, which is the commitment.

    Tournaments that were planned before there was such a log have none.
    """

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    number: int = Field(primary_key=True)
    text: str = Field(sa_type=Text)
    """The JSON that was signed, to the letter; `ratings.ledger.proof` says what is in it."""
    signature: str
    """In hexadecimal digits."""


class EntrantTallyRecord(Table, table=True):
    """How a version has fared in a tournament; there is no row before its first finished match.

    A version that sits in several seats of a match is counted in each.
    """

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    version_id: str = Field(primary_key=True, foreign_key="version.id")
    matches: int
    wins: int
    """As in `ratings.statistics.scores`; so are the next two."""
    shared: int = Field(sa_column_kwargs={"server_default": text("0")})
    draws: int = Field(sa_column_kwargs={"server_default": text("0")})
    points: int
    """As in `ratings.statistics.scores`."""
    forfeits: int
    blocks: int
    """How many of its blocks are whole: every match of them is finished. The next two count these alone."""
    block_matches: int
    block_points: int
    equal: int
    """The leak checks of this version by what they found; so are the next three."""
    leaks: int
    unstable: int
    unknown: int


class GatheringRecord(Table, table=True):
    """In how many blocks some entrants were planned together, in those waves that `WaveRecord.memory` remembers."""

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    members: str = Field(primary_key=True)
    """Their places in the order of entry, ascending, with commas between."""
    blocks: int
