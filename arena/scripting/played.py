"""What was played, as values: a match with its board, a tournament with its table, a replay."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from arena.model.matches import FaultFact, MatchDetail, MatchSeat
from arena.model.table_columns import MATCH_SEATS, Column, ColumnKind, pick
from arena.model.tournaments import StandingRow, TournamentDetail
from arena.scripting.tables import ResultTable, pool_text, standings_table
from ratings.values.tournament_incidents import BotFaults

_HEIGHT = 420
"""Of a board in a notebook, in pixels."""
_PLIES = (
    Column("ply", "ply", ColumnKind.COUNT),
    Column("bot", "bot"),
    Column("action", "action"),
    Column("by", "by"),
    Column("elapsed_us", "ms", ColumnKind.COUNT, write=lambda us: f"{us / 1000:.1f}"),
)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class PlayedMatch(ResultTable[MatchSeat]):
    """A match that was played: a row for each seat, and below them what bots did wrong, and the board at its end."""

    detail: MatchDetail
    """All that is known of it."""
    board: str = ""
    """The last position as SVG; empty if the game draws none."""

    @property
    def id(self) -> str:
        """The id of the match, by which `Arena.replay` finds it."""
        return self.detail.match_id

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The rank of each seat, 1 = best, equal where seats tie; `None` without a valid result."""
        return tuple(seat.rank for seat in self.rows)

    @property
    def faults(self) -> tuple[FaultFact, ...]:
        """What bots did wrong, with the evidence: `evidence["stderr"]` is the end of what the bot wrote there."""
        return self.detail.faults

    def _repr_html_(self) -> str:
        return f"{ResultTable._repr_html_(self)}{board_image(self.board)}"


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class PlayedTournament(ResultTable[StandingRow]):
    """A tournament that was played, or as far as it was played: its table as its format ranks the entrants."""

    detail: TournamentDetail
    """All that is known of it: settings, comparison, faults, what the host lost."""

    @property
    def name(self) -> str:
        """Its name, by which `Arena.crosstable`, `matches` and `resume` find it."""
        return self.detail.summary.name

    @property
    def faults(self) -> tuple[BotFaults, ...]:
        """What bots did wrong, the most frequent first; `match_id` is one of the matches."""
        return self.detail.faults

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        return self.detail.summary.is_over


@dataclass(frozen=True, slots=True, repr=False)
class MatchReplay:
    """A match as it was played, ply by ply."""

    match_id: str
    document: Mapping[str, Any]
    """All of it, as `arena.match.replay` describes it."""
    actions: tuple[str, ...]
    """What was played, in the notation of the game."""
    board: str = ""
    """The last position as SVG; empty if the game draws none."""
    data: bytes = b""
    """As it is stored."""

    @property
    def entries(self) -> Sequence[Mapping[str, Any]]:
        """One for each ply: `seat`, `action`, `by` (who chose it), times."""
        found: Sequence[Mapping[str, Any]] = self.document["entries"]
        return found

    @property
    def bots(self) -> tuple[str, ...]:
        """Who played, seat by seat."""
        return tuple(seat["name"] for seat in self.document["seats"])

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The rank of each seat; `None` without a valid result: every bot failed before any of them acted."""
        result = self.document["result"]
        return tuple(rank if result["rated"] else None for rank in result["ranks"])

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each ply. Raises MissingPackageError."""
        return self._plies().to_pandas()

    def save(self, file: str | Path) -> None:
        """Write it in its stored form, which the command line shows and verifies like a match of a database."""
        Path(file).write_bytes(self.data)

    def _plies(self) -> ResultTable[Ply]:
        names = self.bots
        rows = (
            Ply(
                one["ply"], one["seat"], names[one["seat"]], text, one["by"], one.get("elapsed_us"), one.get("note", "")
            )
            for one, text in zip(self.entries, self.actions, strict=True)
        )
        ranks = ", ".join(f"{bot} {rank or '-'}" for bot, rank in zip(names, self.ranks, strict=True))
        return ResultTable(f"{self.document['game']}: {ranks}", tuple(rows), Ply, _PLIES)

    def _repr_html_(self) -> str:
        return f"{self._plies()._repr_html_()}{board_image(self.board)}"

    def __repr__(self) -> str:
        return repr(self._plies())


@dataclass(frozen=True, slots=True)
class Ply:
    """One action of a replay."""

    ply: int
    seat: int
    bot: str
    action: str
    """In the notation of the game."""
    by: str
    """Who chose it: `bot`, `forced` (there was no other), `opening` or `caretaker`."""
    elapsed_us: int | None
    """How long the bot took; None where it was not asked."""
    note: str


def match_table(detail: MatchDetail, board: str) -> PlayedMatch:
    """Return a match that was played."""
    columns = pick(MATCH_SEATS, "seat", "bot", "version", "rank", "ended")
    title = f"Match {detail.match_id}: {pool_text(detail.pool)}, {detail.plies} plies"
    notes = tuple(map(fault_text, detail.faults))
    return PlayedMatch(title, detail.seats, MatchSeat, columns, notes, detail=detail, board=board)


def tournament_table(detail: TournamentDetail, rows: Sequence[StandingRow]) -> PlayedTournament:
    """Return a tournament with all rows of its table."""
    one = detail.summary
    left = "" if one.is_over else ", not over"
    title = f"{one.name}: {one.format}, {pool_text(detail.pool)}, {one.finished} of {one.total} matches{left}"
    faults = (
        f"{fault.bot}: {fault.cause} in {fault.matches} matches, as in {fault.match_id}" for fault in detail.faults
    )
    found = detail.comparison
    notes = ([f"answer: {found.answer or 'not known yet'}"] if found is not None else []) + list(faults)
    table = standings_table(title, rows, notes)
    return PlayedTournament(title, table.rows, StandingRow, table.columns, table.notes, detail=detail)


def fault_text(fault: FaultFact) -> str:
    """Return what a bot did wrong in a line, with the last that it wrote to stderr."""
    said = [line for line in str(fault.evidence.get("stderr", "")).splitlines() if line.strip()]
    last = f" It wrote last: {said[-1].strip()}" if said else ""
    return f"{fault.bot} (seat {fault.seat}) was at fault at ply {fault.ply}, {fault.cause}: {fault.explanation}{last}"


def board_image(svg: str) -> str:
    """Return a board for a notebook: an image of its own, in which nothing can act on the page around it."""
    if not svg:
        return ""
    data = base64.b64encode(svg.encode()).decode("ascii")
    return f'<img alt="{escape("the board at the end")}" height="{_HEIGHT}" src="data:image/svg+xml;base64,{data}"/>'
