"""Gathers what a report shows from an arena: a tournament with its table, its curves and its matches, or one match."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from arena.i18n.catalogue import translate, words
from arena.model.errors import ClientError, DamagedError, HiddenError
from arena.model.matches import FaultFact
from arena.model.port import ArenaPort
from arena.model.tournaments import StandingRow, TournamentDetail
from arena.story.replays import story_of_replay
from arena.web.drawing.identicons import mark_of
from arena.web.report.match_packing import Packer, pack_all
from arena.web.report.report_file import write_report
from arena.web.shared.formatting import format_instant, format_share, format_words, game_title, pool_details, short_id
from arena.web.viewer.payload import viewer_document
from ratings.statistics.errors import StatisticsError
from ratings.values.page import MOST_LIMIT
from ratings.values.states import MatchState
from ratings.values.statistics import Crosstable

_DASHES: Final = ("", "7 4", "2 4", "10 3 2 3", "1 2")
"""How lines of one colour are told apart."""
_CURVES = 8
"""So many bots have their curve drawn, the best."""
_WIDTH, _HEIGHT = 640, 240


@dataclass(frozen=True, slots=True)
class ReportProgress:
    """How far a report is."""

    done: int
    total: int
    left_out: int
    """Matches that are hidden, kept no longer, damaged, or of rules that are not installed here."""


class TournamentReportFile:
    """The report of a tournament; `pack` takes long, `write` is quick."""

    def __init__(self, arena: ArenaPort, tournament: str, language: str) -> None:
        """Raise what the arena does if there is no such tournament."""
        self._arena = arena
        self._language = language
        self._detail = arena.tournaments.get_tournament(tournament)
        self._packed = Packer().packed()
        self._left_out = 0

    def pack(self) -> Generator[ReportProgress, None, None]:
        """Tell all matches that are over, in the order of the schedule, and yield how far that is, first at the start.

        Raises PackingError.
        """
        matches, plies = self._finished()
        replays = (self._replay(match) for match in matches)
        packing, done, left_out = pack_all(replays, plies, self._language), 0, 0
        yield ReportProgress(0, len(matches), 0)
        while True:
            try:
                is_in = next(packing)
            except StopIteration as end:
                self._packed = end.value
                return
            done, left_out = done + 1, left_out + (not is_in)
            self._left_out = left_out
            yield ReportProgress(done, len(matches), left_out)

    def _finished(self) -> tuple[list[str], int]:
        """Return the ids of the matches that are over, in the order of the schedule, and how many plies they have."""
        ids, plies, cursor, is_more = list[str](), 0, None, True
        while is_more:
            page = self._arena.matches.list_matches(
                self._detail.summary.id, MatchState.FINISHED, limit=MOST_LIMIT, after=cursor
            )
            ids += (row.id for row in page.items)
            plies += sum(row.plies or 0 for row in page.items)
            cursor, is_more = page.next, page.next is not None
        return ids[::-1], plies

    def _replay(self, match: str) -> tuple[bytes | None, tuple[FaultFact, ...]]:
        found = self._arena.matches.get_match(match)
        if found.replay_removed_at_us is not None:
            return None, ()
        try:
            return self._arena.replays.get_replay(match).data, found.faults
        except (HiddenError, DamagedError):
            return None, ()

    def write(self) -> bytes:
        """Return the file."""
        detail, summary = self._detail, self._detail.summary
        crosstable = self._arena.statistics.get_crosstable(summary.id)
        return write_report(
            summary.name,
            self._packed,
            self._language,
            facts=_facts(detail, self._left_out, self._language),
            standings=detail.standings,
            statuses={row.version_id: translate(row.status, self._language) for row in detail.standings},
            crosstable=_matrix(crosstable) if crosstable.versions else None,
            curves=self._curves(detail.standings[:_CURVES]),
            overall=self._overall(),
            lists=True,
        )

    def _overall(self) -> dict[str, Any] | None:
        """Return what the table over all games says of the bots of the tournament; `None` if there is one pool."""
        if sum(board.matches > 0 for board in self._arena.leaderboards.list_leaderboards(limit=1).boards) < 2:
            return None
        try:
            table = self._arena.ratings.get_overall_table()
        except (ClientError, StatisticsError) as error:
            return {"table": None, "rows": (), "apart": (), "why_not": translate(str(error), self._language)}
        entrants = {row.bot for row in self._detail.standings}
        rows, apart = ([row for row in part if entrants & {row.bot, *row.copies}] for part in (table.rows, table.apart))
        return {"table": table, "rows": rows, "apart": [row.bot for row in apart]}

    def _curves(self, rows: Sequence[StandingRow]) -> Markup | None:
        """Return how the live ratings of the best went, match by match of the tournament."""
        if not self._detail.summary.rated:
            return None
        pool, curves = self._detail.pool.pool_id, list[tuple[str, list[float]]]()
        for row in rows:
            version = f"{row.bot}@{row.content_hash}"
            changes = self._arena.statistics.list_history(version, pool, limit=max(row.matches, 1)).items
            curves.append((row.bot, [change.exposure for change in reversed(changes)]))
        return draw_curves([(bot, values) for bot, values in curves if len(values) > 1])


def write_match(document: dict[str, Any], language: str) -> bytes:
    """Return the file of one match, from its replay. Raises StoryError if it cannot be told here."""
    packer, story = Packer(), story_of_replay(document, language)
    packer.add(viewer_document(story))
    title = f"{story.game.title} {short_id(document['match_id'])}"
    facts = [" · ".join(story.start.bots), f"{format_instant(document['started_at_us'])} UTC"]
    return write_report(title, packer.packed(), language, facts=facts)


def _facts(detail: TournamentDetail, left_out: int, language: str) -> list[str]:
    say, summary = words(language).say, detail.summary
    return [
        game_title(summary.game),
        pool_details(detail.pool, language),
        format_words(summary.format, language),
        *([say("tournament.status_" + summary.status)] if summary.status != "finished" else ()),
        say("report.played", count=summary.finished),
        *([say("tournament.void", count=summary.void)] if summary.void else ()),
        *([say("report.left_out", count=left_out)] if left_out else ()),
        f"{format_instant(summary.created_at_us)} UTC",
    ]


def _matrix(table: Crosstable) -> dict[str, Any]:
    """Return the scores of all against all; an empty text where two never met."""
    met = {(meeting.version_id, meeting.opponent_id): meeting.score for meeting in table.meetings}
    ids = [version.version_id for version in table.versions]
    scores = [[met.get((version, other)) for other in ids] for version in ids]
    cells = [["" if score is None else format_share(score) for score in line] for line in scores]
    rows = [(version.name, line) for version, line in zip(table.versions, cells, strict=True)]
    return {"names": [version.name for version in table.versions], "rows": rows}


def draw_curves(curves: Sequence[tuple[str, Sequence[float]]]) -> Markup | None:
    """Return curves of ratings over matches, each in the colour of its bot, with a legend; `None` if there are none.

    Where bots share a colour, all but the first have a dash of their own.
    """
    if not curves:
        return None
    low = min(min(values) for _, values in curves)
    high = max(max(values) for _, values in curves)
    parts = [
        Markup('<line x1="40" x2="{}" y1="{}" y2="{}"/><text x="36" y="{}" text-anchor="end">{:.0f}</text>').format(
            _WIDTH - 8, _y(value, low, high), _y(value, low, high), _y(value, low, high) + 5, value
        )
        for value in (low, (low + high) / 2, high)
    ]
    colours = [mark_of(bot).colour for bot, _ in curves]
    dashes = [_DASHES[colours[:at].count(colour) % len(_DASHES)] for at, colour in enumerate(colours)]
    for (bot, values), colour, dash in zip(curves, colours, dashes, strict=True):
        places = [44 + (_WIDTH - 56) * at / (len(values) - 1) for at in range(len(values))]
        points = " ".join(f"{x:.1f},{_y(value, low, high):.1f}" for x, value in zip(places, values, strict=True))
        parts.append(Markup('<polyline class="under" points="{}"/>').format(points))
        parts.append(
            Markup('<polyline points="{}" stroke="{}" stroke-dasharray="{}"><title>{}</title></polyline>').format(
                points, colour, dash, bot
            )
        )
    drawn = Markup('<svg viewBox="0 0 {} {}" aria-hidden="true">{}</svg>').format(
        _WIDTH, _HEIGHT, Markup("").join(parts)
    )
    return drawn + _legend([bot for bot, _ in curves], dashes)


def _legend(bots: Sequence[str], dashes: Sequence[str]) -> Markup:
    """Return the names of those whose curves are drawn, each with its line and its mark."""
    lines = (
        Markup(
            '<li><svg width="36" height="10" viewBox="0 0 36 10" aria-hidden="true">'
            '<polyline class="under" points="0,5 36,5"/>'
            '<polyline points="0,5 36,5" stroke="{}" stroke-dasharray="{}"/></svg>{} {}</li>'
        ).format(mark_of(bot).colour, dash, mark_of(bot).svg(), bot)
        for bot, dash in zip(bots, dashes, strict=True)
    )
    return Markup('<ul class="drawn">{}</ul>').format(Markup("").join(lines))


def _y(value: float, low: float, high: float) -> float:
    return _HEIGHT - 16 - (_HEIGHT - 32) * (value - low) / max(high - low, 1e-9)
