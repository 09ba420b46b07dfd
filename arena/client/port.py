"""The one interface behind the nouns: what can be asked of an arena, be it a database here or a service there.

Every method takes and returns plain values, so that a remote adapter follows from the Protocols alone. Bots are named
`name`, `owner/name` or either with `@hash`; tournaments by name or id, matches by id, ids also by a beginning or end of
4 characters or more, pools by a beginning of their id. A list is read page by page, the newest first unless its method
says otherwise; `after` is the cursor of the page before. A `limit` of `None` asks for all that is left, of which a
service gives MOST_LIMIT at once. Every method raises ClientError, or an error of the book of record or the tournaments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from arena.client.values.admissions import Admission
from arena.client.values.answers import ConfidencePoint
from arena.client.values.bots import BotDetail, BotEvent, BotSummary, BotVersion, BuildLog, NamedVersion, RemovedBot
from arena.client.values.leaderboards import LeaderboardList
from arena.client.values.live import LogPart, MatchEvent
from arena.client.values.match_details import MatchDetail, MatchTimes, SeatLog
from arena.client.values.matches import MatchSummary
from arena.client.values.operations import Operation
from arena.client.values.page import DEFAULT_LIMIT, Page
from arena.client.values.pairings import Pairing
from arena.client.values.planning import (
    Cancelled,
    ChallengeRequest,
    Joined,
    PlannedTournament,
    TournamentRequest,
    Withdrawn,
)
from arena.client.values.replays import Replay, ReplayCheck
from arena.client.values.runtimes import Runtime
from arena.client.values.statistics import Crosstable, Meeting, RatingChange, SeatResult, Spread
from arena.client.values.tournaments import LeakFinding, StandingRow, TournamentDetail, TournamentSummary
from ratings.store.states import AdmissionState, Fared, MatchState


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
