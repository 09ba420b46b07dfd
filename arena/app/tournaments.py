"""The tournaments of a database: how far they are, their tables, rounds and answers, and who may change them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from arena.app.lookup import find_tournament, find_version, whole_name
from arena.app.policy import (
    AppContext,
    has_secrets,
    hidden_matches,
    is_hidden,
    need_competitor,
    need_own_bot,
    need_remote_service,
)
from arena.model.errors import ForbiddenError, RefusedError
from arena.model.operations import Operation, OperationKind, OperationState
from arena.model.tournaments import (
    ONLY_FORFEITS,
    STOPPED,
    BestKnown,
    Commitment,
    ComparisonResult,
    ConfidencePoint,
    LeakFinding,
    Pairing,
    StandingRow,
    TournamentDetail,
    TournamentSummary,
    comparison_note,
)
from arena.tournament.locks import player_of, service_of
from engine.translatable import Text, text_from_json
from ratings.read import tournament_report as reports
from ratings.read import tournaments
from ratings.read.embargo import EarlyResult, early_results
from ratings.read.paging import part_of
from ratings.read.pool_lookup import pool_value
from ratings.read.proofs import commitment_of
from ratings.read.tournament_report import TournamentReport, leak_checks, tournament_report
from ratings.read.tournaments import EntrantRow, TournamentRow, entrant_bots, tournament_row
from ratings.store.database import Database
from ratings.store.models import TournamentRecord
from ratings.values.page import DEFAULT_LIMIT, MOST_LIMIT, Page
from ratings.values.tournament_incidents import LockHolder

if TYPE_CHECKING:
    from arena.model.tournament_requests import (
        Cancelled,
        ChallengeRequest,
        Joined,
        PlannedTournament,
        TournamentRequest,
        Withdrawn,
    )

_ASKING = ("adaptive", "compare")
"""The formats that ask something."""
STANDINGS = "standings"
"""Tells the cursors of the table of a tournament from others."""
_MOST_FAULTS = 100
LOOK_EVERY_S = 0.5
_STATES = {
    "planned": OperationState.QUEUED,
    "running": OperationState.RUNNING,
    "stopped": OperationState.QUEUED,
    "finished": OperationState.DONE,
    "cancelled": OperationState.CANCELLED,
}
OVER = (OperationState.DONE, OperationState.CANCELLED)


class LocalTournaments:
    """Implements the interface `arena.model.port.Tournaments`.

    What plans and writes is imported by the methods that do: who looks at tournaments does not pay for it.
    """

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def list_tournaments(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[TournamentSummary]:
        page = tournaments.list_tournaments(self._context.database, limit=limit, after=after)
        return Page(tuple(summary_of(self._context, row) for row in page.items), page.next)

    def get_tournament(self, tournament: str) -> TournamentDetail:
        tournament_id = find_tournament(self._context, tournament).id
        report = tournament_report(self._context.database, tournament_id)
        row = report.row
        table = make_table(self._context.database, report)
        hidden = _is_hidden(self._context, row)
        standings = part_of(_shown(self._context, row, table.rows), STANDINGS, MOST_LIMIT, None)
        checks = list_leak_checks(self._context, tournament_id, MOST_LIMIT, None)
        return TournamentDetail(
            summary=summary_of(self._context, row),
            pool=pool_value(row.pool),
            # The secret follows from the seed, so the seed is shown only when nothing is to come.
            settings={**row.tournament.settings, "seed": None} if hidden else row.tournament.settings,
            secret=_secret(self._context, row),
            standings=standings.items,
            best=table.best,
            comparison=table.comparison,
            leak_checks=checks.items,
            more_standings=standings.next,
            more_leak_checks=checks.next,
            host_losses=reports.host_losses(self._context.database, tournament_id),
            faults=reports.bot_faults(self._context.database, tournament_id, _MOST_FAULTS, besides_open=hidden),
            commitment=_commitment(self._context.database, tournament_id),
        )

    def list_standings(
        self, tournament: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[StandingRow]:
        rows = standings_of(self._context, find_tournament(self._context, tournament).id)
        page = part_of(rows, STANDINGS, limit, after)
        return Page(page.items, page.next)

    def list_leak_checks(
        self, tournament: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[LeakFinding]:
        return list_leak_checks(self._context, find_tournament(self._context, tournament).id, limit, after)

    def list_pairings(
        self, tournament: str, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[Pairing]:
        from arena.app.tournament_answers import list_pairings

        return list_pairings(self._context, find_tournament(self._context, tournament).id, limit, after)

    def list_confidence(self, tournament: str) -> tuple[ConfidencePoint, ...]:
        from arena.app.tournament_answers import list_confidence

        return list_confidence(self._context, find_tournament(self._context, tournament).id)

    def create_tournament(self, request: TournamentRequest) -> PlannedTournament:
        from arena.app.tournament_planning import create

        return create(self._context, request)

    def challenge_bot(self, request: ChallengeRequest) -> PlannedTournament:
        from arena.app.tournament_planning import challenge

        return challenge(self._context, request)

    def cancel_tournament(self, tournament: str) -> Cancelled:
        from arena.model.tournament_requests import Cancelled
        from arena.tournament.proof import close_proof
        from ratings.ledger.ledger import Ledger

        found = find_tournament(self._context, tournament)
        need_canceller(self._context, found)
        cancelled = Cancelled(found.name, Ledger(self._context.database).cancel(found.id))
        close_proof(self._context.database, found.id, self._context.programs.root)
        return cancelled

    def join_tournament(self, tournament: str, bot: str) -> Joined:
        from arena.model.tournament_requests import Joined
        from arena.tournament import registration as entrants
        from ratings.read.admissions import unadmitted

        database, text = self._context.database, self._own(bot, "enter it")
        found = find_tournament(self._context, tournament)
        need_entry(self._context, found)
        entrant = find_version(self._context, text)
        need_remote_service(self._context, entrant.bot)
        is_checked = found.rated and not self._context.viewer.is_organiser
        if is_checked and unadmitted(database, [entrant.version.id]):
            raise RefusedError(
                Text("{bot} is not admitted, so it plays no rated matches; `arena bot log` tells more", bot=text)
            )
        version, wave = entrants.join(database, self._context.programs, found, text)
        return Joined(found.name, text.partition("@")[0], version.number, wave)

    def withdraw_bot(self, tournament: str, bot: str) -> Withdrawn:
        from arena.model.tournament_requests import Withdrawn
        from arena.tournament import registration as entrants

        found = find_tournament(self._context, tournament)
        text = self._own(bot, "withdraw it") if not self._context.viewer.is_organiser else bot
        version, void = entrants.withdraw(self._context.database, found, text)
        return Withdrawn(found.name, text.partition("@")[0], version.number, void)

    def get_progress(self, tournament: str) -> Operation:
        return progress_of(self._context, find_tournament(self._context, tournament).id)

    def watch_tournament(self, tournament: str) -> Iterator[Operation]:
        return watch(self._context, find_tournament(self._context, tournament).id)

    def _own(self, bot: str, deed: str) -> str:
        """Return the whole name of a bot that the viewer may enter and withdraw. Raises ForbiddenError."""
        need_own_bot(self._context.viewer, find_version(self._context, bot).bot, deed)
        return whole_name(self._context.database, self._context.viewer, bot)


PLANNED, RUNNING = "planned", "running"


def summary_of(context: AppContext, row: TournamentRow) -> TournamentSummary:
    """Return a tournament as a list shows it."""
    tournament, pool, progress = row.tournament, row.pool, row.progress
    status, player = standing_of(context, row)
    leased = 0 if status == STOPPED else progress.leased
    return TournamentSummary(
        id=tournament.id,
        name=tournament.name,
        format=tournament.format,
        status=status,
        game=pool.game,
        seats=pool.seats,
        time_control=pool.time_control,
        pool_id=pool.id,
        rated=tournament.rated,
        created_at_us=tournament.created_at_us,
        cancelled_at_us=tournament.cancelled_at_us,
        planned=progress.planned + progress.leased - leased,
        leased=leased,
        finished=progress.finished,
        void=progress.void,
        total=progress.total,
        more_waves=progress.more_waves,
        remote=pool.remote,
        played_by=player if context.viewer.is_organiser else None,
    )


def standing_of(context: AppContext, row: TournamentRow) -> tuple[str, LockHolder | None]:
    """Return the status of a tournament, which is `stopped` if it was begun and nobody plays it, and who plays it.

    A service plays all that is not over on its home; what it has not begun yet is planned.
    """
    if row.status not in (PLANNED, RUNNING):
        return row.status, None
    found = player_of(context.database, row.tournament.id)
    if found is None and row.status == RUNNING:
        found = service_of(context.database, remote=row.pool.remote)
    if found is None:
        return (STOPPED if row.status == RUNNING else PLANNED), None
    return RUNNING, found


def standings_of(context: AppContext, tournament_id: str) -> tuple[StandingRow, ...]:
    """Return the whole table of a tournament as the viewer may see it, best first."""
    report = tournament_report(context.database, tournament_id)
    return _shown(context, report.row, make_table(context.database, report).rows)


def list_leak_checks(
    context: AppContext, tournament_id: str, limit: int | None, after: str | None
) -> Page[LeakFinding]:
    """Return what leak checks found, as far as the viewer may see it. Raises PageError."""
    page = leak_checks(context.database, tournament_id, limit=limit, after=after)
    hidden = hidden_matches(context, [row.check.match_id for row in page.items])
    findings = (
        LeakFinding(
            bot=row.bot,
            version=row.version.number,
            match_id=row.check.match_id,
            seat=row.check.seat,
            verdict=row.check.verdict,
            ply=row.check.ply,
            sentence=text_from_json(row.check.sentence, row.check.sentence_text),
            evidence=row.check.evidence if context.viewer.owns(row.owner_id) else {},
        )
        for row in page.items
        if row.check.match_id not in hidden
    )
    return Page(tuple(findings), page.next)


def _secret(context: AppContext, row: TournamentRow) -> str | None:
    """Return the secret if it is published, or if the organiser asks who chose it with a seed: he may repeat it."""
    if row.tournament.seeded and context.viewer.is_organiser:
        return row.tournament.secret
    from ratings.read.tournaments import published_secret  # asks for seasons, which no list of tournaments does

    return published_secret(context.database, row.tournament.id)


def _commitment(database: Database, tournament_id: str) -> Commitment | None:
    entry = commitment_of(database, tournament_id)
    if entry is None:
        return None
    said = json.loads(entry.text)
    return Commitment(sha256(entry.text.encode()).hexdigest(), said["public_key"], said["at_us"])


def _is_hidden(context: AppContext, row: TournamentRow) -> bool:
    if row.progress.is_over:  # whatever its game is, which need not be loaded for that
        return False
    return is_hidden(context.viewer, has_secrets=has_secrets(row.pool.game), is_open=True)


def _shown(context: AppContext, row: TournamentRow, standings: tuple[StandingRow, ...]) -> tuple[StandingRow, ...]:
    """Return the table. The status of an entrant whose matches all lack a valid result is ONLY_FORFEITS.

    If the play is hidden, it is without the matches of blocks that are not over.
    """
    early: dict[str, list[EarlyResult]] = {}
    if _is_hidden(context, row):
        for one in early_results(context.database, row.tournament.id):
            early.setdefault(one.version_id, []).append(one)
    shown = (_less(line, early.get(line.version_id, ())) for line in standings)
    return tuple(
        replace(line, status=line.status or ONLY_FORFEITS) if line.forfeits and not line.matches else line
        for line in shown
    )


def _less(line: StandingRow, early: Sequence[EarlyResult]) -> StandingRow:
    return replace(
        line,
        matches=line.matches - sum(one.has_result for one in early),
        wins=line.wins - sum(one.firsts.wins for one in early),
        shared=line.shared - sum(one.firsts.shared for one in early),
        draws=line.draws - sum(one.firsts.draws for one in early),
        forfeits=line.forfeits - sum(one.has_forfeited for one in early),
    )


def progress_of(context: AppContext, tournament_id: str) -> Operation:
    """Return how far a tournament is; what a cancelled one did not play is not done."""
    row = tournament_row(context.database, tournament_id)
    progress, (status, _) = row.progress, standing_of(context, row)
    return Operation(
        id=f"tournaments/{tournament_id}",
        kind=OperationKind.TOURNAMENT,
        state=_STATES[status],
        done=progress.finished + (0 if row.tournament.cancelled_at_us else progress.void),
        total=progress.total,
        sentence=note_of(context, row.tournament),
        started_at_us=row.tournament.created_at_us,
        ended_at_us=row.tournament.cancelled_at_us,
    )


def note_of(context: AppContext, tournament: TournamentRecord) -> str:
    """Return what there is to say of a comparison that goes on: how near it is to an answer. It is empty for others."""
    found: ComparisonResult | None = None
    from arena.tournament.formats.compare import Compare  # all that it asks, which no list of tournaments does

    if tournament.format == Compare.traits.name:
        from arena.app.tournament_answers import comparison_of

        found = comparison_of(context.database, tournament.id)
    return "" if found is None else comparison_note(found)


def watch(context: AppContext, tournament_id: str) -> Iterator[Operation]:
    """Yield how far a tournament is whenever that changed, until it is over. It sleeps in the caller's thread."""
    last = None
    while True:
        found = progress_of(context, tournament_id)
        if found != last:
            yield found
        if found.state in OVER:
            return
        last = found
        time.sleep(LOOK_EVERY_S)


def need_canceller(context: AppContext, tournament: TournamentRecord) -> None:
    """Raise ForbiddenError unless the viewer may cancel it: an organiser, or who asked for it to try out his bot."""
    viewer = context.viewer
    if viewer.is_organiser:
        return
    need_competitor(viewer, "cancel tournaments")
    first = entrant_bots(context.database, tournament.id)[0]
    if tournament.rated or not viewer.owns(first.owner_id):
        raise ForbiddenError(
            Text(
                "only an organiser may cancel {name}; you may cancel an unrated tournament whose first bot is yours",
                name=repr(tournament.name),
            )
        )


def need_entry(context: AppContext, tournament: TournamentRecord) -> None:
    """Raise ForbiddenError if another owner asked for the tournament, to try out his own bots."""
    viewer = context.viewer
    entered = entrant_bots(context.database, tournament.id)  # a ladder may have none yet
    owner_id = None if tournament.rated or not entered else entered[0].owner_id
    if owner_id is not None and not viewer.owns(owner_id):
        raise ForbiddenError(
            Text(
                "{name} is an unrated tournament of another owner, so you may not enter it; create your own",
                name=repr(tournament.name),
            )
        )


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """The entrants of a tournament, best first, and the answer to what it asks, if it asks anything."""

    rows: tuple[StandingRow, ...]
    best: BestKnown | None = None
    comparison: ComparisonResult | None = None


def make_table(database: Database, report: TournamentReport) -> TournamentTable:
    """Return the table of a tournament, given how all its entrants fared."""
    from arena.tournament.stored import (
        format_of,  # what formats are made of, which no list of tournaments needs
        table_situation,
    )

    form, entrants = format_of(report.row.tournament, report.row.pool), report.entrants
    if form is None:  # a single match has no format, and so no blocks, points and status to tell
        return TournamentTable(
            tuple(
                _line(row, place=place, blocks=0, points=0, score=row.score, status="")
                for place, row in enumerate(entrants, start=1)
            )
        )
    situation, rows = table_situation(database, form, report), {row.version_id: row for row in entrants}
    # Entrants stay, but one may have joined since the report was read.
    ranked = tuple(
        _line(
            rows[line.entrant],
            place=line.place,
            blocks=line.blocks,
            points=line.points,
            score=line.score,
            status=line.status,
        )
        for line in form.standings(situation)
        if line.entrant in rows
    )
    if form.traits.name not in _ASKING:
        return TournamentTable(ranked)
    from arena.app.tournament_answers import best_known, comparison_in  # only formats that ask something

    return TournamentTable(ranked, best_known(database, form, situation, report), comparison_in(form, situation))


def _line(row: EntrantRow, *, place: int, blocks: int, points: int, score: float, status: str) -> StandingRow:
    return StandingRow(
        place=place,
        version_id=row.version_id,
        bot=row.bot,
        number=row.number,
        content_hash=row.content_hash,
        matches=row.matches,
        **row.firsts._asdict(),
        blocks=blocks,
        points=points,
        score=score,
        forfeits=row.forfeits,
        status=status,
    )
