"""The one interface behind the nouns: what can be asked of an arena, be it a database here or a service there.

Every method takes and returns plain values, so that a remote adapter follows from the Protocols alone. Bots are named
`name`, `owner/name` or either with `@hash`; tournaments by name or id, matches by id, ids also by a beginning or end of
4 characters or more, pools by a beginning of their id. A list is read page by page, the newest first unless its method
says otherwise; `after` is the cursor of the page before. A `limit` of `None` asks for all that is left, of which a
service gives MOST_LIMIT at once. Every method raises ClientError, or an error of the book of record or the tournaments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from arena.model.accounts import (
    Identity,
    InvitationSummary,
    NewInvitation,
    NewToken,
    Notice,
    OwnerSummary,
    OwnerUsage,
    TokenSummary,
)
from arena.model.bots import (
    Admission,
    BotDetail,
    BotEvent,
    BotSummary,
    BotVersion,
    BuildLog,
    NamedVersion,
    RemovedBot,
    Runtime,
    Submitted,
    UploadTicket,
)
from arena.model.human_play import OpenedTable, TableRequest
from arena.model.ladders import Ladder, LadderRequest, Season, SeasonTable
from arena.model.live import LogPart, MatchEvent
from arena.model.matches import MatchDetail, MatchSummary, MatchTimes, Replay, ReplayCheck, SeatLog
from arena.model.operations import Operation
from arena.model.ratings import Anchor, FairPlay, OfficialTable, OverallTable
from arena.model.tournament_requests import (
    Cancelled,
    ChallengeRequest,
    Forecast,
    Joined,
    PlannedTournament,
    TournamentRequest,
    Withdrawn,
)
from arena.model.tournaments import (
    ConfidencePoint,
    LeakFinding,
    Pairing,
    StandingRow,
    TournamentDetail,
    TournamentSummary,
)
from ratings.values.leaderboards import LeaderboardList
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import AdmissionState, Fared, MatchState, Scope
from ratings.values.statistics import Crosstable, Meeting, RatingChange, SeatResult, Spread, Suspicion
from ratings.values.tournament_incidents import Annulled, Annulment

if TYPE_CHECKING:
    from arena.model.ratings import Overview


class Bots(Protocol):
    """The bots and their versions."""

    def list_bots(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotSummary]:
        """Return the bots, those added last first, disabled ones too."""

    def get_bot(self, name: str) -> BotDetail:
        """Return a bot with its newest version."""

    def list_versions(self, name: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotVersion]:
        """Return the versions of a bot."""

    def find_version(self, text: str) -> NamedVersion:
        """Return the version that `name` (the newest) or `name@hash` means."""

    def set_disabled(self, name: str, disabled: bool) -> str:
        """Bar a bot from new tournaments, or let it in again, and return its whole name."""

    def remove_bot(self, text: str) -> RemovedBot:
        """Take a bot away, or with `@hash` one of its versions, that no match, tournament or admission names."""

    def rename_bot(self, name: str, new_name: str) -> BotDetail:
        """Give a bot that nothing names yet another name, without that of its owner."""

    def list_events(self, name: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[BotEvent]:
        """Return what happened to a bot."""

    def get_build_log(self, text: str) -> BuildLog:
        """Return what the build command of a version said last, for its owner and organisers, or raise UnknownError."""

    def promote_version(self, text: str, message: str = "") -> BotDetail:
        """Let a version that is admitted play on the ladders in place of the one that does."""

    def withdraw_version(self, text: str, message: str = "") -> BotDetail:
        """Take a version out for good."""

    def roll_back(self, name: str, message: str = "") -> BotDetail:
        """Let the version play again that played before the present one."""


class Admissions(Protocol):
    """The checks that versions pass before they play rated matches."""

    def list_admissions(
        self, state: AdmissionState | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Admission]:
        """Return the admissions: an owner's own, an organiser's all."""

    def get_admission(self, admission: str) -> Admission:
        """Return an admission, named by its id or by the version that it is about; then its newest."""

    def request_admission(self, text: str) -> Admission:
        """Queue a version to be looked at, and return its admission, or the one that is under way."""

    def watch_admission(self, admission: str) -> Iterator[Admission]:
        """Yield an admission whenever it changed, until it is over."""


class Tournaments(Protocol):
    """The tournaments; a single match is one, too."""

    def list_tournaments(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[TournamentSummary]:
        """Return the tournaments."""

    def get_tournament(self, tournament: str) -> TournamentDetail:
        """Return all that is shown of a tournament but its matches, of its table the first MOST_LIMIT rows."""

    def list_standings(
        self, tournament: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[StandingRow]:
        """Return the table of a tournament, the best first."""

    def list_leak_checks(
        self, tournament: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[LeakFinding]:
        """Return what leak checks found in schedule order: all, or of very many those that found something."""

    def list_pairings(
        self, tournament: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Pairing]:
        """Return who was paired with whom in the rounds of a knockout or Swiss tournament, the first round first."""

    def list_confidence(self, tournament: str) -> tuple[ConfidencePoint, ...]:
        """Return how sure an adaptive tournament was of its answer while it went on; nothing of any other."""

    def create_tournament(self, request: TournamentRequest) -> PlannedTournament:
        """Write a tournament; a service plays it, here somebody has to."""

    def challenge_bot(self, request: ChallengeRequest) -> PlannedTournament:
        """Write an unrated tournament of a bot of one's own against others, if all of them can play now."""

    def cancel_tournament(self, tournament: str) -> Cancelled:
        """Give up what is not played yet; the results so far stay."""

    def join_tournament(self, tournament: str, bot: str) -> Joined:
        """Enter a bot late."""

    def withdraw_bot(self, tournament: str, bot: str) -> Withdrawn:
        """Take a bot out of a tournament for good."""

    def get_progress(self, tournament: str) -> Operation:
        """Return how far a tournament is; `done` counts the matches that are over, finished or void."""

    def watch_tournament(self, tournament: str) -> Iterator[Operation]:
        """Yield how far a tournament is whenever that changed, until it is over."""


class Matches(Protocol):
    """The matches of tournaments."""

    def list_matches(
        self,
        tournament: str | None = None,
        state: MatchState | None = None,
        bot: str | None = None,
        fault: str | None = None,
        pool: str | None = None,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
        opponent: str | None = None,
        fared: Fared | None = None,
        least_plies: int | None = None,
        most_plies: int | None = None,
    ) -> Page[MatchSummary]:
        """Return the matches for which everything that is given is true, those planned last first.

        `bot` sits in it, any version of it or with `@hash` that one, `opponent` in another seat; `fared` is how `bot`
        came out of it; `fault` is the cause of a fault in it, or `any`, of that bot if one is given. With a length a
        page may have fewer items than `limit` although the list goes on: so many are looked through at once, no more.
        """

    def get_match(self, match: str) -> MatchDetail:
        """Return all that may be seen of a match but its replay."""

    def get_times(self, match: str) -> MatchTimes:
        """Return how the time of a match was spent. Raise HiddenError while it is hidden."""

    def get_logs(self, match: str, seat: int | None = None) -> tuple[SeatLog, ...]:
        """Return what bots wrote to their output in a match: an owner sees those of his own, an organiser all.

        Empty for a bot that wrote nothing, and for a remote one (`MatchSeat.remote`), which writes elsewhere;
        `MatchDetail.logs_removed_at_us` tells whether retention removed the logs.
        """

    def watch_match(self, match: str, after: int | None = None) -> Iterator[MatchEvent]:
        """Yield how a match is played, those events first that have happened, to its end: all that follow `after`.

        Raise HiddenError while the match is hidden.
        """

    def watch_logs(self, match: str, seat: int, after: int = 0) -> Iterator[LogPart]:
        """Yield what the bot in a seat writes, behind the first `after` bytes, until the match is over.

        Raise ForbiddenError for a bot of another owner, HiddenError while it is hidden, ClientError for a remote one.
        """


class Replays(Protocol):
    """The matches as they were played."""

    def get_replay(self, match: str) -> Replay:
        """Return the replay of a match. Raise HiddenError while the match is hidden."""

    def verify_match(self, match: str) -> ReplayCheck:
        """Play a stored match again, and compare everything."""

    def verify_matches(self, tournament: str | None = None) -> Iterator[ReplayCheck]:
        """Do so for every finished match of a tournament, or of all; organisers only. Removed replays are told."""

    def download_replays(self, bot: str, after: str | None = None) -> Iterator[Replay]:
        """Yield the replays of all matches of a bot that may be seen, by match id, those after the id `after`."""


class Leaderboards(Protocol):
    """The ratings, pool by pool."""

    def list_leaderboards(
        self,
        game: str | None = None,
        seats: int | None = None,
        pool: str | None = None,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
    ) -> LeaderboardList:
        """Return the tables of the pools that were asked for, of each the best `limit`.

        `after` is the cursor of one table, of which alone the next rows follow, or that of all, for further pools.
        """


class Statistics(Protocol):
    """What is counted over the matches of a tournament or a pool: the only pool if neither is named."""

    def get_crosstable(self, tournament: str | None = None, pool: str | None = None, limit: int = 50) -> Crosstable:
        """Return how the best `limit` versions fared against one another, MOST_IN_CROSSTABLE at most."""

    def list_history(
        self, bot: str, pool: str | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[RatingChange]:
        """Return the changes of the rating of a version, the last first."""

    def list_opponents(
        self,
        bot: str,
        tournament: str | None = None,
        pool: str | None = None,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
    ) -> Page[Meeting]:
        """Return how a version fared against everybody whom it met, whom it met most first."""

    def list_seats(
        self, bot: str | None = None, tournament: str | None = None, pool: str | None = None
    ) -> tuple[SeatResult, ...]:
        """Return the results in each seat, of one version or of all."""

    def list_lengths(self, tournament: str | None = None, pool: str | None = None) -> tuple[Spread, ...]:
        """Return how long the matches are."""


class Runtimes(Protocol):
    """The runtimes that bots may ask for."""

    def list_runtimes(self) -> tuple[Runtime, ...]:
        """Return the runtimes by name."""


class Operations(Protocol):
    """The long jobs, while they go on and afterwards."""

    def get_operation(self, operation: str) -> Operation:
        """Return a long job by its id, such as `tournaments/<id>`."""

    def watch_operation(self, operation: str) -> Iterator[Operation]:
        """Yield a long job whenever it got on, until it is over."""


class Ladders(Protocol):
    """The standing ladders and their seasons."""

    def list_ladders(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Ladder]:
        """Return the ladders, closed ones too."""

    def get_ladder(self, ladder: str) -> Ladder:
        """Return the open ladder of that name, or the one that was closed last."""

    def list_seasons(self, ladder: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Season]:
        """Return the seasons of a ladder, the newest first."""

    def get_season_table(
        self, ladder: str, number: int, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> SeasonTable:
        """Return the archived table of a season that is closed."""


class Ratings(Protocol):
    """What all matches of a pool say together."""

    def get_official_table(
        self,
        pool: str | None = None,
        anchors: tuple[Anchor, ...] = (),
        confidence: float = 0.95,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
        circles: bool = False,
    ) -> OfficialTable:
        """Return the official table of a pool, the best first; its figures rest on all versions, shown or not.

        With `circles` each is measured against the mixture that none beats, and who does best against it comes first.
        """

    def get_overall_table(
        self,
        pools: tuple[str, ...] = (),
        games: tuple[str, ...] = (),
        methods: tuple[str, ...] = (),
        confidence: float = 0.95,
    ) -> OverallTable:
        """Return one table over several pools: those that are named, those of these games, or all, the best first.

        `methods` are other ways to judge, by their names, each of which gives every row a figure and a place.
        """

    def list_suspicions(
        self, pool: str | None = None, alarm: float = 0.005, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Suspicion]:
        """Return the pairs that do better at common tables than chance allows; for organisers only."""

    def get_fair_play(
        self, pool: str | None = None, alarm: float = 0.005, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> FairPlay:
        """Return these pairs, and how much could be asked and seen at all; for organisers only."""


class Forecasts(Protocol):
    """What a tournament would be."""

    def forecast_tournament(self, request: TournamentRequest) -> Forecast:
        """Return what would be played if this was asked for, and how long it may take; write nothing.

        Raises what asking for it would raise.
        """


class Admin(Protocol):
    """Owners, their tokens and their invitations; for organisers only."""

    def add_owner(self, name: str) -> OwnerSummary:
        """Register an owner, who has no token yet."""

    def list_owners(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[OwnerSummary]:
        """Return the owners, disabled ones too."""

    def set_owner_disabled(self, name: str, disabled: bool) -> OwnerSummary:
        """Lock an owner out, so that his tokens are worth nothing and his bots play no more, or let him in again."""

    def set_owner_limits(self, name: str, limits: Mapping[str, Any], resets: bool = False) -> OwnerSummary:
        """Give an owner limits of his own, by name; 0 stands for none. Those not named stay, unless it `resets`."""

    def invite_owner(
        self, name: str, scope: Scope = Scope.COMPETITOR, expires_at_us: int | None = None
    ) -> NewInvitation:
        """Make a code that becomes an owner and a token, once; by default it holds for a week."""

    def list_invitations(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[InvitationSummary]:
        """Return the invitations, used and expired ones too."""

    def new_token(self, owner: str | None, name: str, scope: Scope, expires_at_us: int | None = None) -> NewToken:
        """Make a token of an owner, or one of the organiser without an owner. It is shown this once."""

    def list_tokens(
        self, owner: str | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[TokenSummary]:
        """Return the tokens of an owner or all, revoked and expired ones too."""

    def revoke_token(self, token: str, owner: str | None = None) -> TokenSummary:
        """Make a token worth nothing from now on: one of any owner by its id, or by its name one of this owner."""


class Seasons(Protocol):
    """Ladders are opened and closed, and their seasons with them; for organisers only."""

    def open_ladder(self, request: LadderRequest) -> Ladder:
        """Open a ladder for every bot that plays its game, with its first season."""

    def close_ladder(self, ladder: str, why: str) -> Ladder:
        """Close a ladder for good, with its season, whose secret is public from now on."""

    def announce_freeze(self, ladder: str, at_us: int, final_blocks: int) -> Season:
        """Tell everybody when submissions for the season close; then it is frozen, and its final is played."""

    def freeze_season(self, ladder: str, final_blocks: int | None = None) -> Season:
        """Close the season to new versions now, and plan its final, in which all bots play equally many matches.

        Each bot plays at least `final_blocks` blocks, 0 for no final; by default what was announced.
        """

    def close_season(self, ladder: str) -> Season:
        """Close the season: its table is kept, and its secret is public from now on."""

    def open_season(self, ladder: str, name: str | None = None) -> Season:
        """Open the next season of a ladder whose last one is closed."""


class Annulments(Protocol):
    """What the organiser takes out of the count; everybody may read it."""

    def annul_match(self, match: str, why: str) -> Annulled:
        """Let a match and the others of its block count for nothing, and compute the ratings anew."""

    def annul_version(self, version: str, why: str) -> Annulled:
        """Let everything that a version played count for nothing, and take it out of all tournaments for good."""

    def list_annulments(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Annulment]:
        """Return what was annulled, and why."""


class Tables(Protocol):
    """Matches in which people sit, for the program through which they play; for organisers only."""

    def open_table(self, request: TableRequest) -> OpenedTable:
        """Write the match of a table, which begins when everybody is there."""


class Account(Protocol):
    """Whoever is asking, and what he was told."""

    def get_identity(self) -> Identity:
        """Return who is asking, as the arena sees it."""

    def get_usage(self, owner: str | None = None) -> OwnerUsage:
        """Return what an owner has and may have: whoever is asking, or for organisers anybody."""

    def list_notices(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Notice]:
        """Return what the owner, and everybody, was told."""

    def list_own_tokens(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[TokenSummary]:
        """Return the tokens of the owner who is asking, the newest first, revoked and expired ones too."""

    def new_own_token(self, name: str, scope: Scope = Scope.COMPETITOR, expires_at_us: int | None = None) -> NewToken:
        """Make a further token of the owner who is asking. It is shown this once.

        It allows no more than the token that asks, and holds no longer, by default as long.
        """

    def revoke_own_token(self, token: str) -> TokenSummary:
        """Make a token of the owner who is asking worth nothing from now on, by its id or its name."""


class Entrance(Protocol):
    """What somebody may ask for who has no token yet."""

    def redeem_invitation(self, code: str, token_name: str) -> NewToken:
        """Become an owner by an invitation, and get a first token. It is shown this once."""


class Submissions(Protocol):
    """How versions of bots are handed in: an upload is begun, its archive is sent, and then it is submitted."""

    def begin_upload(self, archive_sha256: str, size_bytes: int) -> UploadTicket:
        """Announce an archive; if a part of it arrived before, the ticket says where to go on."""

    def submit_version(
        self, upload: str, content_hash: str, message: str = "", predecessor: int | None = None
    ) -> Submitted:
        """Make a version of an archive that arrived whole, and queue it to be admitted."""


class ArenaPort(Protocol):
    """All that can be asked of an arena, by noun."""

    @property
    def bots(self) -> Bots:
        """The bots and their versions."""

    @property
    def admissions(self) -> Admissions:
        """The checks of new versions."""

    @property
    def tournaments(self) -> Tournaments:
        """The tournaments, single matches too."""

    @property
    def forecasts(self) -> Forecasts:
        """What a tournament would be."""

    @property
    def matches(self) -> Matches:
        """The matches of tournaments."""

    @property
    def replays(self) -> Replays:
        """The matches as they were played."""

    @property
    def leaderboards(self) -> Leaderboards:
        """The ratings, pool by pool."""

    @property
    def statistics(self) -> Statistics:
        """What is counted over matches."""

    @property
    def ratings(self) -> Ratings:
        """What all matches of a pool say together."""

    @property
    def ladders(self) -> Ladders:
        """The standing ladders and their seasons."""

    @property
    def runtimes(self) -> Runtimes:
        """The runtimes that bots may ask for."""

    @property
    def account(self) -> Account:
        """Whoever is asking, and what he was told."""

    @property
    def admin(self) -> Admin:
        """Owners and tokens; for organisers only."""

    @property
    def seasons(self) -> Seasons:
        """Ladders and seasons opened and closed; for organisers only."""

    @property
    def annulments(self) -> Annulments:
        """What was taken out of the count."""

    @property
    def tables(self) -> Tables:
        """Matches in which people sit; for organisers only."""

    @property
    def operations(self) -> Operations:
        """The long jobs, while they go on and afterwards."""


class ShownArena(ArenaPort, Protocol):
    """An arena that pages show."""

    @property
    def overview(self) -> Overview:
        """What is read of many versions at once."""
